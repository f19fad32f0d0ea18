import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler } from '#functions/schedules/prune-versions.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { FakeVersions } from '#test/support/service/fake-versions.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'

const at = '2026-11-23T14:03:00Z'
let aws: FakeVersions
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('SERVICE_NAME', 'NetworkAccess')
  catchLog()
  aws = new FakeVersions({
    Groups: { logicalId: 'A', versions: [1, 2, 3, 4, 5, 6], deployed: 6, at, alias: 6 },
    Sites: { logicalId: 'B', versions: [1, 2, 3, 4, 5], deployed: 5, at, alias: 1, weights: { 2: 0.1 } },
    Made: { logicalId: 'C', versions: [1], deployed: 1, at, alias: 1 },
  })
  sdkByFetch()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => aws.answer(input as string, init))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const versions = () => Object.fromEntries([...aws.functions].map(([name, one]) => [name, one.versions]))

it('keeps the newest three versions of each function, and those that its alias points to', async () => {
  expect(await handler()).toEqual({ deleted: 3 })
  expect(versions()).toEqual({ Groups: [4, 5, 6], Sites: [1, 2, 3, 4, 5], Made: [1] })
  expect(await handler()).toEqual({ deleted: 0 })
})

it('never deletes a whole function', async () => {
  await handler()
  const deletions = aws.requests.filter((request) => request.startsWith('DELETE'))
  expect(deletions).toHaveLength(3)
  for (const deletion of deletions) expect(deletion).toMatch(/\?Qualifier=\d+$/)
})

it('keeps a version that an alias was moved to in the meantime', async () => {
  aws.fault = ({ method }) => {
    if (method === 'DELETE') Object.assign(aws.functions.get('Groups') ?? {}, { alias: 2 })
    return undefined
  }
  await handler()
  expect(versions().Groups).toContain(2)
})

it('continues with other functions after a failure, and then fails', async () => {
  aws.functions.set('More', { logicalId: 'D', versions: [1, 2, 3, 4], deployed: 4, at, alias: 4 })
  const denied = () => new Response('{}', { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' } })
  aws.fault = ({ method, path }) => (method === 'DELETE' && path.includes('Groups') ? denied() : undefined)
  await expect(handler()).rejects.toThrow('1 functions were not pruned.')
  expect(versions()).toMatchObject({ Groups: [1, 2, 3, 4, 5, 6], More: [2, 3, 4] })
})
