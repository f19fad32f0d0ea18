import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { uuidV7 } from '#shared/core/ids.ts'
import { listText } from '#shared/core/secrets/secret-list.ts'
import { secretProcess, storeSecret } from '#test/support/service/secret-process.ts'
import { stubSecrets } from '#test/support/service/stub-secrets.ts'

type Process = Awaited<ReturnType<typeof secretProcess>>

const accountId = uuidV7(Date.now() * 1_000, 1)
const ids = { accountId, ownerId: uuidV7(Date.now() * 1_000, 2), tokenId: uuidV7(Date.now() * 1_000, 3) }
const grant = {
  accountId,
  authorizationId: ids.tokenId,
  role: 'initiator' as const,
  uploadsEnabled: true,
  authorizedAt: new Date().toISOString(),
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  initiatorDeviceId: ids.ownerId,
  initiatorActorId: ids.ownerId,
  resourceId: ids.ownerId,
}
const one = { version: '1', secret: 'the first secret' }
const two = { version: 'two', secret: 'another secret', from: '2026-01-01T00:00:00Z' }
const compromised = { ...one, compromised: true }

let passed = 0
const pass = (ms: number) => {
  passed += ms
}
let written = ''
beforeEach(() => {
  passed = 0
  written = ''
  const now = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + passed)
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written += text
      return true
    })
  }
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** Whatever a process makes with the service secret. */
async function make({ sealSecret, mintToken, encodeCursor, signIngestToken, serverPublicKey }: Process) {
  const { token, stored } = await mintToken('api', ids)
  return {
    sealed: await sealSecret(accountId, 'their secret'),
    token,
    stored,
    cursor: await encodeCursor('list', 7),
    ingest: await signIngestToken(grant),
    server: await serverPublicKey(accountId),
  }
}
type Made = Awaited<ReturnType<typeof make>>

const text = async (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    (error) => error.code ?? error.message,
  )

/** What another process makes of it: each as it reads it, or how it refuses it. */
async function read(process: Process, { sealed, token, stored, cursor, ingest }: Made) {
  const v = await import('valibot')
  const presented = process.readToken(['api'], token)
  return {
    sealed: await text(process.openSecret(accountId, sealed)),
    token: presented && (await process.secretMatches(presented, stored)),
    cursor: await text(process.decodeCursor('list', cursor, v.number())),
    ingest: await text(process.verifyIngestToken(ingest, Date.now() / 1_000).then(({ role }) => role)),
  }
}
const all = { sealed: 'their secret', token: true, cursor: 7, ingest: 'initiator' }
const refused = { cursor: 'invalid_page_cursor', ingest: 'unauthorized' }

/** The version that each of them names. */
const namesOf = ({ sealed, stored, cursor, ingest }: Made) => [
  ...[sealed, stored.secret_hash, cursor].map((named) => (named.includes('.') ? named.split('.')[0] : '1')),
  JSON.parse(Buffer.from(ingest.split('.')[0] ?? '', 'base64url').toString()).kid,
]

it('names no version while there is one secret, and its name when a newer one writes', async () => {
  vi.stubEnv('SERVICE_SECRET', one.secret)
  const plain = await make(await secretProcess())
  expect(namesOf(plain)).toEqual(['1', '1', '1', '1'])
  storeSecret(two, one)
  const listed = await secretProcess()
  expect(await read(listed, plain)).toEqual(all)
  const made = await make(listed)
  expect(namesOf(made)).toEqual(['two', 'two', 'two', 'two'])
  expect(await read(listed, made)).toEqual(all)
})

it('writes with the older version until the newer one begins', async () => {
  storeSecret({ ...two, from: new Date(Date.now() + 600_000).toISOString() }, one)
  const process = await secretProcess()
  expect(namesOf(await make(process))).toEqual(['1', '1', '1', '1'])
  pass(600_001)
  expect(namesOf(await make(process))).toEqual(['two', 'two', 'two', 'two'])
})

it('reads at once what a process has made that knew the new version before', async () => {
  storeSecret(one)
  const behind = await secretProcess()
  await make(behind)
  storeSecret(two, one)
  const ahead = await secretProcess()
  pass(10_000)
  expect(await read(behind, await make(ahead))).toEqual(all)
  expect(await read(ahead, await make(behind))).toEqual(all)
})

it('knows a new version within five minutes, though nothing names it', async () => {
  storeSecret(one)
  const process = await secretProcess()
  await make(process)
  storeSecret(two, one)
  pass(4 * 60_000)
  expect(namesOf(await make(process))).toEqual(['1', '1', '1', '1'])
  pass(60_000)
  expect(namesOf(await make(process))).toEqual(['two', 'two', 'two', 'two'])
})

describe('Secrets Manager', () => {
  let secrets: Awaited<ReturnType<typeof stubSecrets>>
  const calls = () => secrets.asked()
  beforeAll(async () => {
    secrets = await stubSecrets()
  })
  afterAll(() => secrets.end())
  beforeEach(() => {
    secrets.use()
    vi.stubEnv('SERVICE_SECRET', '')
    vi.stubEnv('SERVICE_SECRET_ARN', 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:service-abcdef')
    secrets.holds(JSON.stringify([one]))
  })

  it('is asked once in five minutes, however much is read and made', async () => {
    const process = await secretProcess()
    const made = await Promise.all(Array.from({ length: 20 }, () => make(process)))
    for (const each of made) await read(process, each)
    expect(calls()).toBe(1)
    pass(5 * 60_000)
    await Promise.all(Array.from({ length: 20 }, () => make(process)))
    expect(calls()).toBe(2)
  })

  it('is asked for unknown versions no more often than every ten seconds', async () => {
    const { keyOf } = await secretProcess()
    for (let i = 0; i < 50; i++) expect(await keyOf(`made-up-${i}`, 'any')).toBeNull()
    expect(calls()).toBe(1)
    pass(10_000)
    const asked = Array.from({ length: 50 }, (_, i) => keyOf(`made-up-${i}`, 'any'))
    expect(new Set(await Promise.all(asked))).toEqual(new Set([null]))
    expect(calls()).toBe(2)
  })

  it('is not waited for by every request while it fails', async () => {
    const process = await secretProcess()
    const made = await make(process)
    secrets.fails('throttled')
    pass(5 * 60_000)
    for (let i = 0; i < 10; i++) expect(await read(process, made)).toEqual(all)
    expect(calls()).toBe(2)
    expect(JSON.parse(written)).toMatchObject({ level: 'ERROR', error: 'throttled' })
  })
})

it('accepts nothing from outside by a compromised version, and reads what is stored', async () => {
  storeSecret(one)
  const made = await make(await secretProcess())
  storeSecret(two, compromised)
  expect(await read(await secretProcess(), made)).toEqual({ ...all, ...refused })
})

it('keeps tokens and the server key of a retired version, and nothing else', async () => {
  storeSecret(one)
  const process = await secretProcess()
  const made = await make(process)
  const [version] = await process.secretVersions()
  const left = JSON.parse(listText([process.retiredVersion(version as NonNullable<typeof version>)]))
  expect(JSON.stringify(left)).not.toContain(one.secret)
  storeSecret(two, left[0])
  const later = await secretProcess()
  const gone = 'What is sealed names version 1 of the service secret, which is not there.'
  expect(await read(later, made)).toEqual({ ...refused, sealed: gone, token: true })
  expect(await later.serverPublicKey(accountId)).toBe(made.server)
})

it('ends the tokens of a version that is gone altogether', async () => {
  storeSecret(one)
  const made = await make(await secretProcess())
  storeSecret(two)
  const later = await secretProcess()
  expect(await read(later, made)).toMatchObject({ ...refused, token: false })
  expect(await later.serverPublicKey(accountId)).not.toBe(made.server)
})

it('never takes a version for another: a changed name opens nothing', async () => {
  storeSecret(two, one)
  const process = await secretProcess()
  const made = await make(process)
  const renamed = (named: string) => named.replace('two.', '')
  const stored = { ...made.stored, secret_hash: renamed(made.stored.secret_hash) }
  const [, payload = ''] = made.ingest.split('.')
  const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: '1', typ: 'JWT' })).toString('base64url')
  const key = (await process.keyOf('two', `ingest token two ${accountId}`)) as Buffer
  const ingest = `${head}.${payload}.${createHmac('sha256', key).update(`${head}.${payload}`).digest('base64url')}`
  const other = { ...made, sealed: renamed(made.sealed), stored, cursor: renamed(made.cursor), ingest }
  expect(await read(process, other)).toEqual({ ...refused, sealed: expect.stringMatching(/auth/), token: false })
})

it('seals a secret anew that cannot be opened any more', async () => {
  storeSecret(one)
  const { sealSecret } = await secretProcess()
  const lost = await sealSecret(accountId, 'their secret')
  storeSecret(two)
  const { resealSecret, openSecret } = await secretProcess()
  const fresh = await resealSecret(accountId, 'their secret', lost)
  expect([fresh.startsWith('two.'), await openSecret(accountId, fresh)]).toEqual([true, 'their secret'])
})

it('goes on with the versions it knows when the list is damaged, says so, and starts with no damaged one', async () => {
  storeSecret(one)
  const process = await secretProcess()
  const made = await make(process)
  vi.stubEnv('SERVICE_SECRET', '[{"version":"1","secret":')
  pass(5 * 60_000)
  expect(await read(process, made)).toEqual(all)
  expect(JSON.parse(written)).toMatchObject({
    level: 'ERROR',
    error: 'The service secret is no list of versions: it begins with [ and is no JSON.',
  })
  storeSecret(two, one)
  pass(30_000)
  expect(namesOf(await make(process))).toEqual(['two', 'two', 'two', 'two'])

  vi.stubEnv('SERVICE_SECRET', '[{"version":"1","secret":')
  const { mintToken } = await secretProcess()
  await expect(mintToken('api', ids)).rejects.toThrow('it begins with [ and is no JSON')
})
