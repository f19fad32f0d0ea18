import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler } from '#functions/tasks/index-change-log.ts'
import { commit } from '#shared/commit/commit.ts'
import { clock, dayMicros } from '#shared/core/clock.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { type Indexed, indexChangeLog } from '#shared/jobs/change-log-index/index-change-log.ts'
import { verifyChangeLog } from '#shared/logs/verify-change-log.ts'
import type { Item, Key } from '#shared/table/keys.ts'
import { getItems, whichExist } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { sitesApi } from '#test/support/accounts/collections.ts'
import { largestConditions } from '#test/support/largest/fill-lists.ts'
import { changeEntriesOf, pointersTo, removeItem, removePointers } from '#test/support/logs/change-log-items.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { failTable, inserts } from '#test/support/table/table-faults.ts'

let own: Awaited<ReturnType<typeof useOwnTable>>
let account: Account

const run = async (event: object = {}): Promise<Indexed> => {
  const { data } = (await handler(event)) as { data: Indexed }
  return data
}
const history = async (of: Account, object_id: string) =>
  (await of.call(listLogs, { query: { object_id } })).body.data.map(
    ({ operation, after }: { operation: string; after: { name: string } | null }) => [operation, after?.name],
  )
const missing = async (pointers: Key[]) => (await whichExist(pointers)).filter((there) => !there).length

/** An account with a site that was renamed, and whose log is from before there were pointers. */
async function newOldAccount() {
  const made = await newAccount()
  const site = (await sitesApi.create(made, { name: 'Oslo' })).body.data
  await sitesApi.update(made, site.id, { name: 'Bergen' })
  await writeChangeLogOf(made.id)
  const removed = await removePointers(made.id)
  return { account: made, site, removed }
}

beforeEach(async () => {
  own = await useOwnTable()
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await own.end()
})

describe('of accounts from before there were pointers', () => {
  it('puts what leads to each entry, with the time at which the entry goes, and nothing twice', async () => {
    const worlds = [await newOldAccount(), await newOldAccount()]
    const all = worlds.flatMap(({ removed }) => removed)
    for (const { account, site } of worlds) expect(await history(account, site.id)).toEqual([])

    expect(await run()).toMatchObject({ accounts: 2, added: all.length, next: null })
    for (const { account, site, removed } of worlds) {
      expect(await history(account, site.id)).toEqual([
        ['update', 'Bergen'],
        ['insert', 'Oslo'],
      ])
      expect(await getItems(removed)).toEqual(removed)
      expect(await verifyChangeLog({ account_id: account.id })).toMatchObject({ damages: [] })
    }
    expect(await run()).toMatchObject({ accounts: 2, added: 0, next: null })
  })

  it('keeps to one account where one is named', async () => {
    const [one, other] = [await newOldAccount(), await newOldAccount()]
    const { accounts, added } = await run({ account_id: one.account.id.toUpperCase() })
    expect([accounts, added]).toEqual([1, one.removed.length])
    expect([await missing(one.removed), await missing(other.removed)]).toEqual([0, other.removed.length])
  })

  it('puts only what is missing', async () => {
    const { removed } = await newOldAccount()
    await run()
    const [gone, ...others] = removed as [Item, ...Item[]]
    await removeItem(gone)
    expect((await run()).added).toBe(1)
    expect(await missing([gone, ...others])).toBe(0)
  })

  it('finds the object of an entry that is stored compressed', async () => {
    account = await newAccount()
    const fields = { group_id: randomUUID(), resource_id: randomUUID(), conditions: largestConditions() }
    const policy = await commit({ accountId: account.id, subject: null }, async (transaction) =>
      transaction.insert(policies, fields as never),
    )
    await writeChangeLogOf(account.id)
    await removePointers(account.id)
    await run()
    expect((await account.call(listLogs, { query: { object_id: policy.id } })).body.metadata.total).toBe(1)
  })

  it('leaves out what is past its retention', async () => {
    const { removed } = await newOldAccount()
    vi.stubEnv('LOG_RETENTION_DAYS', '2')
    vi.spyOn(clock, 'now').mockReturnValue(clock.now() + 3 * dayMicros)
    expect(await run()).toMatchObject({ entries: 0, added: 0 })
    expect(await missing(removed)).toBe(removed.length)
  })
})

describe('in parts', () => {
  /** Runs that stop as soon as they may, each going on where the one before stopped. */
  async function inParts(event: object = {}): Promise<Indexed[]> {
    const runs = [await indexChangeLog(event, () => false)]
    for (let next = runs[0]?.next; next; next = runs.at(-1)?.next) {
      runs.push(await indexChangeLog(JSON.parse(JSON.stringify({ next })), () => false))
    }
    return runs
  }

  it('goes on where a run has stopped, between accounts and within one', async () => {
    account = await newAccount()
    for (let i = 0; i < 8; i++) {
      await commit({ accountId: account.id, subject: null }, async (transaction) => {
        for (let n = 0; n < 16; n++) transaction.insert(sites, { name: `Site ${i} ${n}`, managed_by: 'account' })
      })
    }
    await writeChangeLogOf(account.id)
    const removed = await removePointers(account.id)
    const others = [await newOldAccount(), await newOldAccount()]

    const runs = await inParts()
    // Three accounts, and one stop within that of more than 100 entries.
    expect(runs.length).toBeGreaterThanOrEqual(4)
    const all = [...removed, ...others.flatMap((other) => other.removed)]
    expect(runs.at(-1)).toMatchObject({ accounts: 3, added: all.length, next: null })
    expect(await missing(all)).toBe(0)
    const alone = await inParts({ account_id: account.id })
    expect(alone.length).toBe(2)
    const entries = await changeEntriesOf(account.id)
    expect(alone.at(-1)).toEqual({ accounts: 1, entries: entries.length, added: 0, next: null })
  })

  it('begins its page again when the account at which it stopped is gone', async () => {
    const { removed } = await newOldAccount()
    const at = { account_id: '01990000-0000-7000-8000-0000000000aa', log_id: null }
    const next = { account_id: null, start: null, at, accounts: 5, entries: 70, added: 9 }
    expect(await run({ next })).toMatchObject({ accounts: 6, added: 9 + removed.length, next: null })
  })

  it('tells of a fault, and the next run does the rest', async () => {
    const { account, removed } = await newOldAccount()
    failTable('ValidationException', inserts(String(removed.at(-1)?.sk)))
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    expect(await handler({ account_id: account.id })).toMatchObject({ error: { code: 'internal_error' } })
    vi.restoreAllMocks()
    const { added } = await run({ account_id: account.id })
    expect(added).toBeLessThanOrEqual(removed.length)
    expect(await missing(removed)).toBe(0)
  })
})

describe('while other things happen', () => {
  it('agrees with a consumer that writes the same pointers, and with a delivery that comes again', async () => {
    const { account, removed } = await newOldAccount()
    await Promise.all([run({ account_id: account.id }), writeChangeLogOf(account.id)])
    const entries = await changeEntriesOf(account.id)
    expect(await getItems(removed)).toEqual(pointersTo(account.id, entries))
    await writeChangeLogOf(account.id)
    expect(await getItems(removed)).toEqual(pointersTo(account.id, entries))
  })
})

it.each([
  [{ account_id: 'x' }, 'account_id must be a UUID.'],
  [{ account_id: 5 }, 'account_id must be a UUID.'],
  [{ next: {} }, 'next must be the next of an answer, as it is.'],
  [{ next: 'c' }, 'next must be the next of an answer, as it is.'],
  [
    {
      account_id: '01990000-0000-7000-8000-0000000000aa',
      next: { account_id: null, start: null, at: null, accounts: 0, entries: 0, added: 0 },
    },
    'next is of a run for another account.',
  ],
])('refuses %j', async (event, detail) => {
  expect(await handler(event)).toEqual({ error: { code: 'bad_request', detail } })
})

it('says so where there is no such account, instead of finding nothing wrong', async () => {
  const account_id = '01990000-0000-7000-8000-00000000dead'
  const error = { code: 'bad_request', detail: `There is no account ${account_id}.` }
  expect(await handler({ account_id })).toEqual({ error })
})
