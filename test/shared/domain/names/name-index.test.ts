import type { DynamoDBRecord } from 'aws-lambda'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as writeChangeLog } from '#functions/streams/write-change-log.ts'
import { commit } from '#shared/commit/commit.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { writeNames } from '#shared/domain/names/name-index.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { actorsApi, groupsApi, resourcesApi } from '#test/support/accounts/collections.ts'
import { insertRow, updateRow } from '#test/support/accounts/rows.ts'
import { readCommits, toStreamRecord, writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { expectedNames, storedNames } from '#test/support/table/name-index.ts'
import { beforeRequest, crashAfter } from '#test/support/table/table-faults.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const deliver = async (commits: Record<string, unknown>[]) =>
  (await writeChangeLog({ Records: commits.map((one) => toStreamRecord(one) as DynamoDBRecord) })).batchItemFailures
const deliverLast = async (own = account) => deliver((await readCommits(own.id)).slice(-1))
const expectSame = async (own: Account) => expect(await storedNames(own.id)).toEqual(await expectedNames(own.id))
const removeRow = (accountId: string, row: GroupRow) =>
  commit({ accountId, subject: null }, async (transaction) => transaction.delete(groups, row))
const restoreRow = (accountId: string, row: GroupRow) =>
  commit({ accountId, subject: null }, async (transaction) => transaction.restore(groups, row))

describe('the index of names', () => {
  it('contains all objects of a new account, and follows changes of searched fields', async () => {
    const own = await newAccount()
    await writeChangeLogOf(own.id)
    await expectSame(own)
    const { id } = (await actorsApi.create(own, { name: 'Uma User', type: 'account_user', email: 'uma@example.com' }))
      .body.data
    await deliverLast(own)
    expect((await storedNames(own.id))[`actors ${id}`]).toBe('\numa \nuser\t\numa@\nexample.\ncom')
    await actorsApi.update(own, id, { email: 'uma@other.example' })
    await deliverLast(own)
    await expectSame(own)
    await actorsApi.remove(own, id)
    await deliverLast(own)
    expect(Object.keys(await storedNames(own.id))).not.toContain(`actors ${id}`)
    await expectSame(own)
  })

  it('takes a write unit for each change of a searched field, and none for other changes', async () => {
    const names: string[] = []
    const writesOf = async (change: () => Promise<unknown>) => {
      await change()
      interceptTable((command, send) => {
        if (/^(Put|Delete)Command$/.test(command.constructor.name)) names.push(command.constructor.name)
        return send(command)
      })
      await deliverLast()
      vi.restoreAllMocks()
      return names.splice(0)
    }
    const { id } = (await actorsApi.create(account, { name: 'Rob', type: 'service_account' })).body.data
    expect(await writesOf(async () => {})).toEqual(['PutCommand'])
    expect(await writesOf(() => actorsApi.update(account, id, { is_disabled: true }))).toEqual([])
    expect(await writesOf(() => actorsApi.update(account, id, { name: 'ROB' }))).toEqual([])
    expect(await writesOf(() => actorsApi.update(account, id, { name: 'Bob' }))).toEqual(['PutCommand'])
    expect(await writesOf(() => actorsApi.remove(account, id))).toEqual(['DeleteCommand'])
  })

  it('has items of at most 1 KB, also for the longest names', async () => {
    const own = await newAccount()
    const name = '🧑'.repeat(255)
    await actorsApi.create(own, { name, type: 'account_user', email: `${'a'.repeat(60)}@example.com` })
    await resourcesApi.create(own, {
      name: '.a'.repeat(127),
      type: 'dns',
      address: `${'a.'.repeat(120)}example.com`,
      site_id: (await queryItems(partition(own.id, 'sites')))[0]?.sk,
    })
    await writeChangeLogOf(own.id)
    const items = (await Promise.all([...'01234567'].map((i) => queryItems(partition(own.id, 'names', i))))).flat()
    const sizeOf = (item: object) =>
      Object.entries(item).reduce((sum, [key, value]) => sum + key.length + Buffer.byteLength(String(value)), 0)
    const sizes = items.map(sizeOf)
    expect(Math.max(...sizes)).toBeGreaterThan(900)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_024)
    // No character is cut in half.
    expect(items.map(({ text }) => String(text)).join('')).not.toContain('\ufffd')
  })
})

describe('a delivery', () => {
  it('that is repeated, late or out of order leaves the index equal to the table', async () => {
    type Step = { kind: 'change' | 'delete' | 'deliver'; target: number; seed: number }
    const steps: fc.Arbitrary<Step[]> = fc.array(
      fc.record({ kind: fc.constantFrom('change', 'change', 'delete', 'deliver'), target: fc.nat(2), seed: fc.nat() }),
      { minLength: 5, maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(steps, fc.infiniteStream(fc.nat()), async (all, random) => {
        const own = await newAccount()
        const rows: (GroupRow | undefined)[] = []
        const gone: (GroupRow | undefined)[] = []
        const shuffled = async () => {
          const commits = await readCommits(own.id)
          const keyed = [...commits, ...commits].map((one) => [random.next().value as number, one] as const)
          return keyed.sort(([a], [b]) => a - b).map(([, one]) => one)
        }
        for (const { kind, target, seed } of all) {
          const [row, old] = [rows[target], gone[target]]
          if (kind === 'deliver') await deliver((await shuffled()).slice(0, 1 + (seed % 6)))
          else if (kind === 'delete' && row) {
            await removeRow(own.id, row)
            rows[target] = undefined
            gone[target] = row
          } else if (row) rows[target] = await updateRow(own.id, groups, row, { name: `Group ${target} ${seed}` })
          else if (old) {
            await restoreRow(own.id, old)
            rows[target] = old
          } else rows[target] = await insertRow(own.id, groups, { ...nativeGroup, name: `Group ${target} ${seed}` })
        }
        expect(await deliver(await shuffled())).toEqual([])
        await expectSame(own)
      }),
      { numRuns: 15 },
    )
  })

  it('of an old name does not restore an object that is deleted while it is indexed', async () => {
    for (let at = 0, happened = true; happened; at++) {
      const own = await newAccount()
      const { id } = (await groupsApi.create(own, { name: 'Secret project' })).body.data
      const late = (await readCommits(own.id)).slice(-1)
      const state = beforeRequest(at, async () => {
        await groupsApi.remove(own, id)
        await deliverLast(own)
      })
      await deliver(late)
      happened = state.happened
      vi.restoreAllMocks()
      if (happened) expect(Object.keys(await storedNames(own.id))).not.toContain(`groups ${id}`)
    }
  })

  it('concurrent with changes and with other deliveries leaves the index equal to the table', async () => {
    const own = await newAccount()
    const change = async (i: number) => {
      const group = (await groupsApi.create(own, { name: `Team ${i}` })).body.data
      await groupsApi.update(own, group.id, { name: `Squad ${i}` })
      if (i % 2 === 0) await groupsApi.remove(own, group.id)
    }
    const redeliver = async () => {
      for (let i = 0; i < 4; i++) await deliver(await readCommits(own.id))
    }
    await Promise.all([0, 1, 2, 3, 4, 5].map(change).concat(redeliver(), redeliver()))
    await deliver(await readCommits(own.id))
    await expectSame(own)
  })

  it('that dies after any write is completed by the next one', async () => {
    for (const isResponseLost of [false, true]) {
      for (let writes = 0, died = true; died; writes++) {
        const own = await newAccount()
        await groupsApi.create(own, { name: 'Engineering' })
        crashAfter(writes, { isResponseLost })
        const commits = (await readCommits(own.id).catch(() => [])) as Record<string, unknown>[]
        died = (await deliver(commits)).length > 0
        vi.restoreAllMocks()
        await deliver(await readCommits(own.id))
        await expectSame(own)
      }
    }
  })
})

it('keeps the newer of two writes, whatever their order', async () => {
  const own = await newAccount()
  const { id } = (await groupsApi.create(own, { name: 'New' })).body.data
  const one = (text: string | null, commitNumber: number) =>
    writeNames(own.id, [{ object: 'groups', id, text, commit: commitNumber }])
  await one('\nnew', 9)
  await one('\nold', 8)
  await one(null, 7)
  expect((await storedNames(own.id))[`groups ${id}`]).toBe('\nnew')
  await one(null, 10)
  expect(await storedNames(own.id)).toEqual({})
})
