import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as createProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { handler as reseal } from '#functions/tasks/reseal-secrets.ts'
import { handler as getConfiguration } from '#functions/v0/configuration/get-v0-configuration.ts'
import { handler as updateConfiguration } from '#functions/v0/configuration/update-v0-configuration.ts'
import { handler as getDevice } from '#functions/v0/devices/get-v0-device.ts'
import { commit } from '#shared/commit/commit.ts'
import { openSecret } from '#shared/core/secrets/sealed-secret.ts'
import { namedVersion } from '#shared/core/secrets/secret-versions.ts'
import { newestVersions } from '#shared/core/secrets/service-secret.ts'
import { authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { type Resealed, resealSecrets } from '#shared/jobs/secret-rotation/reseal-secrets.ts'
import { table, tableName } from '#shared/table/client.ts'
import { PutCommand, ScanCommand } from '#shared/table/commands.ts'
import { getRow, queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { discovered, providers } from '#test/support/accounts/auth-providers.ts'
import { newV0Device } from '#test/support/accounts/v0.ts'
import { openIdProvider } from '#test/support/accounts/v0-providers.ts'
import { commitsOf } from '#test/support/logs/commit-stream.ts'
import { storeSecret } from '#test/support/service/secret-process.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

const one = { version: '1', secret: process.env.SERVICE_SECRET as string }
const two = { version: 'two', secret: 'another secret', from: '2026-01-01T00:00:00Z' }

let own: Awaited<ReturnType<typeof useOwnTable>>
let account: Awaited<ReturnType<typeof newAccount>>
let device: Record<string, unknown>
let suite: string
/** An account with everything that can be sealed, sealed by the first version: seven secrets in six rows. */
beforeEach(async () => {
  own = await useOwnTable()
  storeSecret(one)
  await newestVersions()
  discovered()
  account = await newAccount({ features: { idp_sync: true } })
  const made = [
    await providers.oidc.create(account),
    await account.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } }),
    await directoriesApi.idp.create(account),
    await account.call(updateConfiguration, {
      method: 'PATCH',
      body: {
        configuration: {
          openid_connect_providers: [openIdProvider(), openIdProvider({ id: 'other', client_secret: 'more' })],
        },
      },
    }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 200])
  suite = (await directoriesApi.suite.create(account)).body.data.id
  device = await newV0Device(account)
  await account.call(createGroup, {
    method: 'POST',
    path: '/groups',
    body: { group: { name: 'Kept' } },
    headers: { 'idempotency-key': 'kept' },
  })
  vi.restoreAllMocks()
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await own.end()
})

const run = async (event: unknown = {}) => (await reseal(event)) as { data: Resealed; error?: { detail: string } }
const ofAccount = async () => (await own.items()).filter(({ pk }) => String(pk).startsWith(account.id))

const texts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
      ? Object.values(value).flatMap(texts)
      : []

/** The versions that seal something of the account, by trying to open every text there is. */
async function sealedBy(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const text of (await ofAccount()).filter(({ kind }) => kind === 'entity').flatMap(texts)) {
    const isSealed = await openSecret(account.id, text).then(
      () => true,
      () => false,
    )
    if (!isSealed) continue
    const { version } = namedVersion(text)
    counts[version] = (counts[version] ?? 0) + 1
  }
  return counts
}

const shown = async () => [
  (await account.call(getDevice, { params: { id: String(device.id) } })).text,
  (await account.call(getConfiguration, {})).text,
]

/** Cuts the pages of the table, so that a small one has many. */
function smallPages(): void {
  const send = table().send.bind(table())
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    if (command instanceof ScanCommand) command.input.Limit = 10
    return send(command as never, ...rest)
  }) as never)
}

it('seals everything with the newest version, and changes nothing that anybody sees', async () => {
  expect(await sealedBy()).toEqual({ 1: 7 })
  const [before, commits] = [await shown(), await commitsOf(account.id)]
  storeSecret(two, one)
  const { data } = await run()
  expect(data).toMatchObject({ version: 'two', unopened: [], foreign: [], missing: [], next: null })
  expect(data.resealed).toBeGreaterThanOrEqual(6)
  expect(data.named).toMatchObject({
    two: { sealed: expect.any(Number) },
    1: { sealed: 0, tokens: expect.any(Number) },
  })
  expect(data.named[1]?.answers).toBeGreaterThanOrEqual(1)
  expect(await sealedBy()).toEqual({ two: 7 })
  expect(await shown()).toEqual(before)
  const more = (await commitsOf(account.id)).slice(commits.length)
  expect(more.length).toBeGreaterThan(0)
  expect(more.flatMap(({ changes }) => changes)).toEqual([])

  const whole = await ofAccount()
  expect((await run()).data.resealed).toBe(0)
  expect(await ofAccount()).toEqual(whole)
})

it('writes nothing when asked to look only', async () => {
  storeSecret(two, one)
  const before = await own.items()
  const { data } = await run({ dry_run: true })
  expect(data).toMatchObject({ resealed: 0, named: { 1: { sealed: 6 } } })
  expect(await own.items()).toEqual(before)
})

it('goes on where it stopped, page by page', async () => {
  storeSecret(two, one)
  smallPages()
  let runs = 0
  for (let next: unknown; next !== null; runs++) {
    const answer = await resealSecrets(JSON.parse(JSON.stringify({ next })), () => false)
    next = answer.next
  }
  expect(runs).toBeGreaterThan(5)
  expect(await sealedBy()).toEqual({ two: 7 })
})

it.each([
  [{ next: { start: 7 } }, 'next must be the next of an answer, as it is.'],
  [{ next: 'more' }, 'next must be the next of an answer, as it is.'],
  [
    { next: { start: null, version: 'gone', begun: '', resealed: 0, named: {}, unopened: [] } },
    'Another version is written with by now. Begin again, without next.',
  ],
])('refuses %j', async (event, detail) => {
  storeSecret(two, one)
  expect((await run(event)).error).toMatchObject({ code: 'bad_request', detail })
})

it('refuses to seal with a version that not all write with yet', async () => {
  storeSecret({ ...two, from: new Date(Date.now() - 10_000).toISOString() }, one)
  expect((await run()).error?.detail).toMatch(/^Version two is written with in a while\. Seal anew after /)
  expect(await sealedBy()).toEqual({ 1: 7 })
})

it.each([false, true])(
  'is finished by another run wherever it dies (with the last answer unheard: %s)',
  async (unheard) => {
    for (let i = 0; i < 3; i++) {
      const other = await newAccount()
      await other.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } })
    }
    let older = [one]
    let dead = 0
    for (let writes = 0; dead === writes; writes++) {
      const version = `two-${writes}`
      const newest = { version, secret: version, from: `2026-01-01T00:00:0${writes}Z` }
      storeSecret(newest, ...older)
      crashAfter(writes, { unheard })
      if ((await run()).error) dead++
      vi.restoreAllMocks()
      const { data } = await run()
      expect([data.unopened, data.next, data.named[version]?.sealed]).toEqual([[], null, 9])
      expect(await sealedBy()).toEqual({ [version]: 7 })
      older = [newest, ...older]
    }
    expect(dead).toBeGreaterThanOrEqual(4)
  },
)

it('runs again on what an administrator has changed meanwhile', async () => {
  storeSecret(two, one)
  const send = table().send.bind(table())
  let changed = false
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    const writes = JSON.stringify('input' in command ? command.input : {})
    if (!changed && command.constructor.name === 'TransactWriteCommand' && writes.includes(suite)) {
      changed = true
      const change = { service_account_key: '{"private_key":"a newer key"}' }
      expect((await directoriesApi.suite.update(account, suite, change)).status).toBe(200)
    }
    return send(command as never, ...rest)
  }) as never)
  await run()
  expect(changed).toBe(true)
  const row = await getRow(directories.suite, account.id, suite)
  expect(await openSecret(account.id, row?.service_account_key ?? '')).toBe('{"private_key":"a newer key"}')
  expect(await sealedBy()).toEqual({ two: 7 })
})

it('is not undone by a change that had read the row before', async () => {
  storeSecret(two, one)
  let runs = 0
  await commit({ accountId: account.id, subject: null }, async (transaction) => {
    const row = await transaction.get(directories.suite, suite)
    if (runs++ === 0) await run()
    if (row) transaction.update(directories.suite, row, { name: 'Renamed' })
  })
  const row = await getRow(directories.suite, account.id, suite)
  expect([runs, row?.name, namedVersion(row?.service_account_key ?? '').version]).toEqual([2, 'Renamed', 'two'])
  expect(await sealedBy()).toEqual({ two: 7 })
})

it('names what it cannot open, and seals the rest', async () => {
  const [item] = await queryItems(`${account.id}#${authProviders.oidc.name}`)
  await table().send(
    new PutCommand({ TableName: tableName(), Item: { ...item, client_secret: `gone.${'A'.repeat(60)}` } as never }),
  )
  storeSecret(two, one)
  const { data } = await run()
  expect(data.unopened).toEqual([
    { account_id: account.id, object: 'oidc_auth_providers', id: item?.id, version: 'gone' },
  ])
  expect(data.named.gone).toMatchObject({ sealed: 1 })
  expect(await sealedBy()).toEqual({ two: 6 })
})

it('does not touch a table that was written with another secret, and names the version', async () => {
  storeSecret(two, one)
  await run()
  storeSecret({ ...two, version: 'three' }, { ...two, secret: 'lost and made up' }, one)
  expect((await run()).error?.detail).toMatch(/of version two the table was written with another/)
  expect((await run({ dry_run: true })).data.foreign).toEqual(['two'])
  storeSecret(one)
  expect((await run({ dry_run: true })).data.missing).toContain('two')
})
