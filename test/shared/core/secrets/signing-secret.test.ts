import { randomUUID } from 'node:crypto'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { mockAws } from '#test/support/service/mock-aws.ts'

const accountId = randomUUID()
const minute = 60_000
let now = 0
let versions: { secret: string; at: number }[] = []
let failure: string | undefined
let reads: string[] = []
const mock = mockAws(SecretsManagerClient)

/** Simulates the stages of Secrets Manager after a rotation. The previous version keeps a stage, and older versions lose theirs. */
const rotate = (secret: string) => {
  versions.unshift({ secret, at: now })
}
beforeEach(() => {
  ;[now, versions, reads, failure] = [Date.parse('2026-01-01'), [], [], undefined]
  rotate('the first secret')
  vi.stubEnv('SIGNING_SECRET', '')
  vi.stubEnv('SIGNING_SECRET_ARN', 'arn:secret')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  mock.on(GetSecretValueCommand).callsFake(({ VersionStage }) => {
    reads.push(VersionStage)
    if (failure) throw Object.assign(new Error(failure), { name: failure })
    const found = versions[VersionStage === 'AWSPREVIOUS' ? 1 : 0]
    if (!found) throw Object.assign(new Error('no version'), { name: 'ResourceNotFoundException' })
    return { SecretString: found.secret, CreatedDate: new Date(found.at) }
  })
})
afterEach(() => {
  mock.reset()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** Imports the signer and the verifier with empty caches, as in a new process. */
async function process_() {
  vi.resetModules()
  const { clock } = await import('#shared/core/clock.ts')
  vi.spyOn(clock, 'now').mockImplementation(() => now * 1_000)
  const [{ signIngestToken, verifyIngestToken }, { decodeBytes, encodeBytes, isMadeByNewest }] = await Promise.all([
    import('#shared/logs/flows/ingest-token.ts'),
    import('#shared/core/secrets/cursor.ts'),
  ])
  const grant = {
    account_id: accountId,
    policy_authorization_id: accountId,
    role: 'initiator' as const,
    uploads_enabled: true,
    authorized_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-01T08:00:00Z',
    initiator_device_id: accountId,
    responder_device_id: accountId,
    initiator_actor_id: accountId,
    policy_id: accountId,
    resource_id: accountId,
  }
  const accepts = (token: string) =>
    verifyIngestToken(token, now / 1_000).then(
      () => true,
      () => false,
    )
  return {
    sign: () => signIngestToken(grant),
    accepts,
    cursor: () => encodeBytes('list', Buffer.from('position')),
    reads: async (cursor: string) => String(await decodeBytes('list', cursor)),
    isMadeByNewest,
  }
}

it('signs with the first version if there is no previous one', async () => {
  const { sign, accepts, cursor, reads: read } = await process_()
  expect(await accepts(await sign())).toBe(true)
  expect(await read(await cursor())).toBe('position')
  expect(reads).toEqual(['AWSCURRENT', 'AWSPREVIOUS'])
})

it('accepts tokens of the previous version, and signs with it until every process has read the new one', async () => {
  now += 60 * minute
  const running = await process_()
  const [token, cursor] = [await running.sign(), await running.cursor()]
  rotate('the second secret')
  const fresh = await process_()
  // Expects a signature with the previous version, because other processes have not read the rotated secret yet.
  expect(await fresh.sign()).toBe(token)
  expect([await fresh.accepts(token), await fresh.reads(cursor), await fresh.isMadeByNewest(cursor)]).toEqual([
    true,
    'position',
    true,
  ])
  now += 11 * minute
  const [next, nextCursor] = [await fresh.sign(), await fresh.cursor()]
  expect(next).not.toBe(token)
  expect(await fresh.isMadeByNewest(cursor)).toBe(false)
  for (const one of [running, fresh]) {
    expect([await one.accepts(token), await one.accepts(next)]).toEqual([true, true])
    expect([await one.reads(cursor), await one.reads(nextCursor)]).toEqual(['position', 'position'])
  }
})

it('refuses tokens from before two rotations, in every process after five minutes', async () => {
  now += 60 * minute
  const running = await process_()
  const token = await running.sign()
  rotate('the second secret')
  rotate('the third secret')
  expect(await (await process_()).accepts(token)).toBe(false)
  expect(await running.accepts(token)).toBe(true)
  now += 5 * minute
  expect(await running.accepts(token)).toBe(false)
})

it('reads again for an unknown version id, at most once a minute', async () => {
  now += 60 * minute
  const running = await process_()
  const token = await running.sign()
  const [header = '', ...rest] = token.split('.')
  const renameKey = (kid: string) => {
    const made = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid }
    return [Buffer.from(JSON.stringify(made)).toString('base64url'), ...rest].join('.')
  }
  reads = []
  for (let i = 0; i < 20; i++) expect(await running.accepts(renameKey(`made-up-${i}`))).toBe(false)
  expect(reads).toEqual(['AWSPREVIOUS'])
  now += minute
  for (let i = 0; i < 20; i++) expect(await running.accepts(renameKey(`made-up-${i}`))).toBe(false)
  expect(reads).toEqual(['AWSPREVIOUS', 'AWSCURRENT'])
  expect(await running.accepts(token)).toBe(true)
})

it('continues with cached versions while Secrets Manager fails, and fails without any', async () => {
  now += 60 * minute
  const running = await process_()
  const token = await running.sign()
  failure = 'InternalServiceError'
  now += 6 * minute
  expect([await running.sign(), await running.accepts(token)]).toEqual([token, true])
  reads = []
  now += 29_000
  await running.sign()
  expect(reads).toEqual([])
  now += 2_000
  await running.sign()
  expect(reads.length).toBeGreaterThan(0)
  await expect((await process_()).sign()).rejects.toThrow()
})

it('accepts a version id only with the version that has signed', async () => {
  const { cursor, reads: read } = await process_()
  const [name, text] = (await cursor()).split('.')
  for (const changed of [text, `.${text}`, `${name}.${text}.`, `${name}..${text}`, `x${name}.${text}`, ''])
    expect(await read(String(changed)), changed).toBe('null')
})
