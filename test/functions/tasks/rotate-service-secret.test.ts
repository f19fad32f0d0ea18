import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as createProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { handler as reseal } from '#functions/tasks/reseal-secrets.ts'
import { handler as rotate } from '#functions/tasks/rotate-service-secret.ts'
import { openSecret } from '#shared/core/secrets/sealed-secret.ts'
import { newestVersions } from '#shared/core/secrets/service-secret.ts'
import type { ShownSecret } from '#shared/jobs/secret-rotation/rotate-service-secret.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { stubService } from '#test/support/service/stub-service.ts'
import { mdmFields, storedProvider } from '#test/support/sync/posture-providers.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:service-abcdef'
let manager: Awaited<ReturnType<typeof stubService>>
const first = 'the first secret, as it was made'

let own: Awaited<ReturnType<typeof useOwnTable>>
let account: Awaited<ReturnType<typeof newAccount>>
let provider: string
let stored: string
let clock: ReturnType<typeof movableClock>
beforeAll(async () => {
  manager = await stubService((response, { headers, body }) => {
    const asked = JSON.parse(body)
    expect([asked.SecretId, headers['x-amz-target']]).toEqual([arn, expect.stringMatching(/\.(Get|Put)SecretValue$/)])
    if (asked.SecretString) {
      expect(asked.ClientRequestToken).toMatch(/^[0-9a-f-]{36}$/)
      stored = asked.SecretString
    }
    response.end(JSON.stringify({ SecretString: stored }))
  })
})
afterAll(() => manager.end())
beforeEach(async () => {
  vi.stubEnv('SERVICE_SECRET', '')
  vi.stubEnv('SERVICE_SECRET_ARN', arn)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  stored = first
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_SECRETS_MANAGER: manager.endpoint,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }))
    vi.stubEnv(name, value)
  own = await useOwnTable()
  clock = movableClock()
  await newestVersions()
  account = await newAccount()
  const made = await account.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } })
  provider = made.body.data.id
})
afterEach(async () => {
  await own.end()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

type Answered = { data: ShownSecret; error?: { code: string; detail: string } }
const ask = async (operation: unknown, fields: object = {}) =>
  (await rotate({ operation, ...fields })) as unknown as Answered
const states = ({ data }: Answered) => data.versions.map(({ version, state }) => [version, state])
const detail = async (operation: unknown, fields: object = {}) => (await ask(operation, fields)).error?.detail
const sealedBy = async () => (await storedProvider(account, provider)).api_token?.split('.')[0]
const opens = async () => openSecret(account.id, (await storedProvider(account, provider)).api_token ?? '')
const isLetIn = async () => (await account.call(listGroups, {})).status === 200

/** A new version, with which everything is written. */
async function added(): Promise<string> {
  const version = (await ask('add')).data.versions[0]?.version as string
  clock.minutes(16)
  return version
}

it('adds a version, seals with it, and retires the first without losing a secret or a token', async () => {
  expect(states(await ask('list'))).toEqual([['1', 'writes']])
  const answer = await ask('add')
  const version = answer.data.versions[0]?.version as string
  expect(states(answer)).toEqual([
    [version, 'pending'],
    ['1', 'writes'],
  ])
  const fresh = JSON.parse(stored)[0].secret
  expect(fresh.length).toBeGreaterThanOrEqual(64)
  expect(JSON.stringify(answer)).not.toContain(fresh)
  expect(JSON.stringify(answer)).not.toContain(first)
  expect(await detail('add')).toMatch(/^Version .* is not written with yet\.$/)
  expect(((await reseal({})) as Answered).error?.detail).toMatch(/Seal anew after/)

  clock.minutes(16)
  expect(states(await ask('list'))).toEqual([
    [version, 'writes'],
    ['1', 'read'],
  ])
  expect(await detail('retire', { version: '1' })).toMatch(
    /^Flows are reported with ingest tokens of this version until /,
  )
  expect((await ask('compromise', { version: '1' })).data.versions[1]?.state).toBe('compromised')
  expect(await detail('retire', { version: '1' })).toMatch(/has not been counted since a newer one writes/)
  await reseal({})
  const retired = await ask('retire', { version: '1' })
  expect(retired.data.versions[1]).toMatchObject({
    version: '1',
    state: 'retired',
    named: { sealed: 0, answers: 0, tokens: 1 },
  })
  expect(stored).not.toContain(first)
  await newestVersions()
  expect([await sealedBy(), await opens(), await isLetIn()]).toEqual([version, 'inventory-token-0123', true])

  expect(await detail('forget', { version: '1' })).toBe(
    '1 tokens name this version and would end. Exchange them, or say "even_if_named": true.',
  )
  const left = await ask('forget', { version: '1', even_if_named: true })
  expect([states(left), left.data.missing]).toEqual([[[version, 'writes']], []])
  await newestVersions()
  expect([await opens(), await isLetIn()]).toEqual(['inventory-token-0123', false])
})

it('retires without a mark when the ingest tokens have ended', async () => {
  const version = await added()
  await reseal({})
  clock.days(32)
  expect(await ask('retire', { version: '1' })).toHaveProperty('data')
  expect(states(await ask('list'))[0]).toEqual([version, 'writes'])
})

it('finds what a process has written that had not heard of the new version', async () => {
  await added()
  await ask('compromise', { version: '1' })
  const before = stored
  await newestVersions()
  // Another process that has not heard of the new version.
  stored = first
  await newestVersions()
  await account.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } })
  stored = before
  await newestVersions()
  const { data } = (await reseal({})) as unknown as { data: { resealed: number } }
  expect(data.resealed).toBe(2)
  expect(await ask('retire', { version: '1' })).toHaveProperty('data')
  expect(await opens()).toBe('inventory-token-0123')
})

it('counts for no retirement what a process could still add to that has not heard of the new version', async () => {
  const soon = new Date(Date.now() + 1_000).toISOString()
  expect(await ask('add', { from: soon })).toHaveProperty('data')
  const newest = stored
  // A process that has read the list just before, and reads it again after five minutes.
  stored = first
  await newestVersions()
  stored = newest
  clock.minutes(2)
  await ask('compromise', { version: '1' })
  expect(((await reseal({})) as Answered).error?.detail).toMatch(/Seal anew after/)
  const known = stored
  stored = first
  await newestVersions()
  const made = await account.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } })
  stored = known
  expect(await detail('retire', { version: '1' })).toMatch(/has not been counted since a newer one writes/)
  clock.minutes(5)
  await reseal({})
  expect(await ask('retire', { version: '1' })).toHaveProperty('data')
  await newestVersions()
  const late = await storedProvider(account, made.body.data.id)
  expect(await openSecret(account.id, late.api_token ?? '')).toBe('inventory-token-0123')
})

it('counts anew for a version that has written again, while a newer one was compromised', async () => {
  const leaked = await added()
  await reseal({})
  await ask('compromise', { version: leaked })
  expect(states(await ask('list'))[1]).toEqual(['1', 'writes'])
  clock.minutes(6)
  const made = await account.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } })
  await added()
  clock.days(20)
  expect(await detail('retire', { version: '1' })).toMatch(/^Flows are reported with ingest tokens of this version/)
  clock.days(12)
  expect(await detail('retire', { version: '1' })).toMatch(/has not been counted since a newer one writes/)
  await reseal({})
  for (const version of ['1', leaked]) expect(await ask('retire', { version })).toHaveProperty('data')
  await newestVersions()
  const late = await storedProvider(account, made.body.data.id)
  expect(await openSecret(account.id, late.api_token ?? '')).toBe('inventory-token-0123')
})

it('waits for no version that is compromised before it begins', async () => {
  const version = await added()
  const hasty = (await ask('add')).data.versions[0]?.version
  expect(((await reseal({})) as Answered).error?.detail).toMatch(/Seal anew after/)
  await ask('compromise', { version: hasty })
  expect(await reseal({})).toHaveProperty('data')
  expect(await sealedBy()).toBe(version)
})

it('waits for kept answers, which nothing can seal for another request', async () => {
  await account.call(createGroup, {
    method: 'POST',
    path: '/groups',
    body: { group: { name: 'Kept' } },
    headers: { 'idempotency-key': 'kept' },
  })
  await added()
  await ask('compromise', { version: '1' })
  await reseal({})
  expect(await detail('retire', { version: '1' })).toBe(
    '0 sealed fields and 1 kept answers name this version. Run reseal-secrets until none does.',
  )
  clock.days(1)
  await reseal({})
  expect(await ask('retire', { version: '1' })).toHaveProperty('data')
})

it('counts before every retirement anew: what was counted for an earlier version says nothing', async () => {
  await added()
  await reseal({})
  const second = await added()
  await ask('compromise', { version: '1' })
  expect((await ask('list')).data.versions.at(-1)?.named).toMatchObject({ sealed: 0 })
  const middle = (await ask('list')).data.versions[1]?.version
  expect(await detail('retire', { version: middle })).toMatch(/^Flows are reported/)
  await ask('compromise', { version: middle })
  expect(await detail('retire', { version: middle })).toMatch(/has not been counted since a newer one writes/)
  await reseal({})
  expect(await ask('retire', { version: middle })).toHaveProperty('data')
  await newestVersions()
  expect(await sealedBy()).toBe(second)
})

describe('what cannot be', () => {
  it.each([
    [undefined, {}, 'operation must be one of list, add, compromise, retire, forget.'],
    ['constructor', {}, 'operation must be one of list, add, compromise, retire, forget.'],
    ['retire', {}, 'version must be one of 1.'],
    ['retire', { version: '1' }, 'This version is written with. Add another first.'],
    ['retire', { version: '1', even_if_named: true }, 'This version is written with. Add another first.'],
    ['compromise', { version: '1' }, 'This is the only version that can write. Add another first.'],
    ['forget', { version: '1' }, 'This version is not retired. Retire it first.'],
    ['add', { from: 'soon' }, 'from must be an RFC 3339 timestamp that lies in the future.'],
    ['add', { from: '2020-01-01T00:00:00Z' }, 'from must be an RFC 3339 timestamp that lies in the future.'],
  ])('%s %j', async (operation, fields, rule) => {
    expect((await ask(operation, fields)).error).toEqual({ code: 'bad_request', detail: rule })
    expect(stored).toBe(first)
  })

  it('a damaged list, which is left as it is', async () => {
    stored = '[{"version":"1"}]'
    expect((await ask('add')).error).toEqual({
      code: 'bad_request',
      detail: 'The service secret is no list of versions: entry 1 needs either "secret" or "keys".',
    })
    expect(stored).toBe('[{"version":"1"}]')
  })
})
