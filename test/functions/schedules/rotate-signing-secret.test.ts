import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { mockAws } from '#test/support/service/mock-aws.ts'

const minute = 60_000
const day = 86_400_000
type Version = { id: string; text: string; at: number }
let versions: Version[] = []
let now = 0
const mock = mockAws(SecretsManagerClient)
const namedError = (name: string) => Object.assign(new Error(name), { name })

beforeEach(() => {
  now = Date.now()
  versions = [{ id: 'first', text: 'the first secret of all', at: now - day }]
  vi.stubEnv('SIGNING_SECRET', '')
  vi.stubEnv('SIGNING_SECRET_ARN', 'arn:secret')
  mock.on(GetSecretValueCommand).callsFake(async ({ VersionStage }) => {
    const found = versions[VersionStage === 'AWSPREVIOUS' ? 1 : 0]
    if (!found) throw namedError('ResourceNotFoundException')
    return { SecretString: found.text, VersionId: found.id, CreatedDate: new Date(found.at) }
  })
  mock.on(PutSecretValueCommand).callsFake(async ({ ClientRequestToken: id, SecretString: text }) => {
    const same = versions.find((version) => version.id === id)
    if (same && same.text !== text) throw namedError('ResourceExistsException')
    if (!same) versions.unshift({ id, text, at: now })
    return {}
  })
})
afterEach(() => {
  mock.reset()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** Imports the service as a new process that has not read the secret. All processes share one clock. */
async function newProcess() {
  vi.resetModules()
  const { clock } = await import('#shared/core/clock.ts')
  vi.spyOn(clock, 'now').mockImplementation(() => now * 1_000)
  const [{ handler: rotate }, { handler: list }, { handler: create }, { handler: ingest }, accounts, flows] =
    await Promise.all([
      import('#functions/schedules/rotate-signing-secret.ts'),
      import('#functions/api/groups/list-groups.ts'),
      import('#functions/api/groups/create-group.ts'),
      import('#functions/api/ingestion/report-flow-logs.ts'),
      import('#test/support/accounts/account.ts'),
      import('#test/support/logs/flows.ts'),
    ])
  return { rotate, list, create, ingest, ...accounts, ...flows }
}

type Process = Awaited<ReturnType<typeof newProcess>>

/** Creates an account with six groups including Everyone. Returns the cursor to the second page of their list. */
async function firstPage({ newAccount, create, ...first }: Process) {
  const { token, call } = await newAccount()
  for (let i = 0; i < 5; i++)
    await call(create, { method: 'POST', path: '/groups', body: { group: { name: `G${i}` } } })
  const page = async (by: Pick<Process, 'call' | 'list'>, cursor?: string) => {
    const query = { limit: '2', ...(cursor !== undefined && { page_cursor: cursor }) }
    const { status, body } = await by.call(by.list, { path: '/groups', token, query })
    const names = body.data?.map(({ name }: { name: string }) => name)
    return { status, code: body.code, names, next: String(body.metadata?.next_page) }
  }
  return { page, next: (await page(first)).next }
}

it('rotates after 90 days, once even with concurrent runs', async () => {
  const { rotate } = await newProcess()
  now += 88 * day
  await rotate()
  expect(versions).toHaveLength(1)
  now += 2 * day
  const [former] = versions
  await Promise.all([rotate(), rotate(), rotate()])
  await rotate()
  expect(versions).toHaveLength(2)
  expect(versions[1]).toBe(former)
  expect(versions[0]?.text).toMatch(/^[\w-]{64}$/)
})

it('keeps cursors valid when each page of a list is served by another process', async () => {
  const running = await newProcess()
  const { page, next } = await firstPage(running)
  versions.unshift({ id: 'second', text: 'the second secret of all', at: now })
  const fresh = await newProcess()
  const second = await page(fresh, next)
  expect(second).toMatchObject({ status: 200, names: ['G1', 'G2'] })
  // Expects that tokens are signed with the new version after eleven minutes, because the running process has read the secret again by
  // then.
  now += 11 * minute
  const again = await page(fresh, next)
  expect(again.next.split('.')[0]).not.toBe(next.split('.')[0])
  expect(await page(running, again.next)).toMatchObject({ status: 200, names: ['G3', 'G4'] })
  expect(await page(running, next)).toMatchObject({ status: 200, names: ['G1', 'G2'] })
  versions.unshift({ id: 'third', text: 'the third secret of all', at: now })
  now += 11 * minute
  for (const one of [running, await newProcess()]) {
    expect(await page(one, next)).toMatchObject({ status: 400, code: 'invalid_page_cursor' })
    expect(await page(one, again.next)).toMatchObject({ status: 200, names: ['G3', 'G4'] })
  }
})

it('is reloaded by a process that read it just before two versions began to sign', async () => {
  const stale = await newProcess()
  const { page, next } = await firstPage(stale)
  versions.unshift({ id: 'second', text: 'the second secret of all', at: now })
  now += 4 * minute
  expect(await page(stale, next)).toMatchObject({ status: 200 })
  now += 7 * minute
  const fresh = await newProcess()
  const later = await page(fresh, next)
  expect(await page(stale, later.next)).toMatchObject({ status: 200, names: ['G3', 'G4'] })
})

it('accepts reports of flows with tokens signed by the previous and by the current version', async () => {
  const running = await newProcess()
  const { id } = await running.newAccount()
  const token = await (await running.newFlowGrant(id)).token()
  const report = (by: Process, sent: string) =>
    by.call(by.ingest, {
      method: 'POST',
      path: '/ingestion/flow_logs',
      token: sent,
      body: { flow_logs: [by.closeRecord()] },
    })
  expect((await report(running, token)).status).toBe(200)
  versions.unshift({ id: 'second', text: 'the second secret of all', at: now })
  const fresh = await newProcess()
  expect((await report(fresh, token)).status).toBe(200)
  now += 11 * minute
  const newer = await (await fresh.newFlowGrant(id)).token()
  for (const one of [running, fresh])
    for (const sent of [token, newer]) expect((await report(one, sent)).status).toBe(200)
  const [header = '', ...rest] = newer.split('.')
  const made = (changes: object) =>
    Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...changes })).toString(
      'base64url',
    )
  const kidOf = (text: string) => JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()).kid
  for (const changes of [
    { kid: kidOf(token) },
    { kid: null },
    { kid: '' },
    { kid: '__proto__' },
    { alg: 'none' },
    { kid: ['x'] },
  ])
    expect((await report(running, [made(changes), ...rest].join('.'))).status, JSON.stringify(changes)).toBe(401)
  versions.unshift({ id: 'third', text: 'the third secret of all', at: now })
  now += 6 * minute
  expect([(await report(running, token)).status, (await report(running, newer)).status]).toEqual([401, 200])
})
