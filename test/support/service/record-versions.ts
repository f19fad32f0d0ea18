import { vi } from 'vitest'
import { FakeVersions } from './fake-versions.ts'
import type { Record } from './record-functions.ts'

export async function recordVersions(record: Record): Promise<void> {
  const at = '2026-11-23T14:03:00Z'
  const nested = 'arn:aws:cloudformation:us-east-1:000000000000:stack/NetworkAccess-Operations/x'
  const aws = new FakeVersions({
    'NetworkAccess-FollowUp': { logicalId: 'ConsumersFollowUp', versions: [1, 2, 3, 4, 5], deployed: 5, at, alias: 5 },
    'NetworkAccess-Groups': { logicalId: 'Groups', nested, versions: [1, 2], deployed: 2, at, alias: 2 },
  })
  const answer = (url: URL, init: RequestInit) => aws.answer(url, init)
  const deployed = () => {
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1')
    vi.stubEnv('SERVICE_NAME', 'NetworkAccess')
  }
  await record(
    'tasks/roll-back.ts',
    async (handler) => {
      deployed()
      const { data } = await handler({})
      if (data?.moved.length !== 2) throw new Error('Nothing was moved.')
    },
    answer,
  )
  await record(
    'schedules/prune-versions.ts',
    async (handler) => {
      deployed()
      const { deleted } = await handler({})
      if (deleted !== 2) throw new Error('No version was deleted.')
    },
    answer,
  )
}
