import type { Context } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { replyWith, stubService } from '#test/support/service/stub-service.ts'

const SecretId = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:origin-AbCdEf'
let handler: typeof import('#functions/tasks/rotate-origin-secret.ts').handler
const run = (Step: string) =>
  handler({ Step, SecretId, ClientRequestToken: 'new' }, { getRemainingTimeInMillis: () => 0 } as Context)

type Version = { text: string; stages: string[] }
let versions: Map<string, Version>
let manager: Awaited<ReturnType<typeof stubService>>
const calls = () => manager.requests.map(({ headers }) => String(headers['x-amz-target']).split('.')[1])

function answerTo(operation: string, request: Record<string, string & string[]>): [status: number, body: object] {
  const found = [...versions].find(
    ([id, { stages }]) => stages.includes(request.VersionStage ?? '') && (request.VersionId ?? id) === id,
  )
  if (operation === 'GetSecretValue') {
    return found ? [200, { SecretString: found[1].text }] : [400, { __type: 'ResourceNotFoundException' }]
  }
  if (operation === 'DescribeSecret') {
    return [200, { VersionIdsToStages: Object.fromEntries([...versions].map(([id, { stages }]) => [id, stages])) }]
  }
  if (operation === 'PutSecretValue') {
    versions.set(String(request.ClientRequestToken), {
      text: String(request.SecretString),
      stages: [...(request.VersionStages ?? [])],
    })
    return [200, {}]
  }
  const [from, to] = [versions.get(String(request.RemoveFromVersionId)), versions.get(String(request.MoveToVersionId))]
  if (from) from.stages = ['AWSPREVIOUS']
  to?.stages.push('AWSCURRENT')
  return [200, {}]
}

beforeAll(async () => {
  manager = await stubService(() => undefined)
  // Loads the modules again, because cached clients may keep the endpoint of another file's stub.
  vi.resetModules()
  handler = (await import('#functions/tasks/rotate-origin-secret.ts')).handler
})
afterAll(() => manager.end())
beforeEach(() => {
  versions = new Map([['old', { text: '{"previous":"a","current":"b","next":"c"}', stages: ['AWSCURRENT'] }]])
  manager.requests.length = 0
  manager.reply((response, incoming) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? ''
    const [status, body] = answerTo(operation, JSON.parse(incoming.body))
    replyWith(status, body)(response, incoming)
  })
  vi.resetModules()
  vi.stubEnv('DISTRIBUTION_ID', 'E123')
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', manager.endpoint)
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a step of the rotation', () => {
  it("prepares a version under the rotation's token, once", async () => {
    await run('createSecret')
    const prepared = versions.get('new')
    expect(prepared?.stages).toEqual(['AWSPENDING'])
    expect(JSON.parse(prepared?.text ?? '')).toEqual({
      previous: 'b',
      current: 'c',
      next: expect.stringMatching(/^\w{64}$/),
    })
    await run('createSecret')
    expect(versions.get('new')).toBe(prepared)
  })

  it('prepares nothing if it may not read the current version', async () => {
    manager.reply(replyWith(400, { __type: 'AccessDeniedException', Message: 'denied' }))
    await expect(run('createSecret')).rejects.toThrow('denied')
    expect(calls()).not.toContain('PutSecretValue')
  })

  it('makes the prepared version current, once', async () => {
    await run('createSecret')
    await run('finishSecret')
    expect([versions.get('old')?.stages, versions.get('new')?.stages]).toEqual([
      ['AWSPREVIOUS'],
      ['AWSPENDING', 'AWSCURRENT'],
    ])
    await run('finishSecret')
    expect(calls().filter((operation) => operation === 'UpdateSecretVersionStage')).toHaveLength(1)
  })

  it('refuses an unknown step', async () => {
    await expect(run('deleteSecret')).rejects.toThrow('no step deleteSecret')
  })
})
