import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { commit } from '#shared/commit/commit.ts'
import { workTime } from '#shared/core/work/work.ts'
import { readLinks, readPending, stagePending } from '#shared/domain/member-sets/pending-change.ts'
import { poolMembers } from '#shared/domain/pool-members/pool-member.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { devices, newClients, type Pools, poolsOf } from '#test/support/accounts/pools.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { followUpAll, readCommits, toStreamRecord } from '#test/support/logs/commit-stream.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'
import { membersOf } from '#test/support/table/members-of.ts'
import { failTable } from '#test/support/table/table-faults.ts'

let account: Account
let pools: Pools
let ids: string[]

beforeAll(async () => {
  account = await newAccount()
  pools = poolsOf(account)
  ids = await newClients(account, 200)
})

afterEach(() => {
  vi.restoreAllMocks()
})

const newPool = (device_ids?: string[]) => pools.newPool(device_ids)
const put = (pool: string, members: string[]) => pools.put(pool, devices(...members))
const listed = async (resource_id: string) => {
  const { data, metadata } = (await pools.list(resource_id, { limit: '100' })).body
  return { first: data.map(({ id }: { id: string }) => id), total: metadata.total }
}
const rowIds = async (pool: string) => {
  const ids = await membersOf(account.id, poolMembers, pool)
  const items = await readLinks(account.id, poolMembers, pool, ids)
  return new Map(items.map((row) => [row?.device_id, row?.id]))
}
const commitsBy = async (change: () => Promise<unknown>) => {
  const before = (await readCommits(account.id)).length
  await change()
  return (await readCommits(account.id))
    .slice(before)
    .map(({ changes }) => changes.map(({ object, operation }) => `${operation} ${object}`))
}
const joins = 'insert static_device_pool_members'
const leaves = 'delete static_device_pool_members'

describe('create_static_device_pool (A32)', () => {
  it('creates a pool and its members in one commit', async () => {
    const commits = await commitsBy(() => newPool(ids.slice(0, 3)))
    expect(commits).toEqual([['insert resources', joins, joins, joins]])
  })

  it("adds members that do not fit the pool's commit in further commits", async () => {
    let pool = ''
    const commits = await commitsBy(async () => {
      pool = await newPool([...ids, ids[0]?.toUpperCase() ?? ''])
    })
    expect(commits.length).toBeGreaterThan(2)
    expect(commits[0]?.slice(0, 2)).toEqual(['insert resources', joins])
    expect(commits.flat().slice(1)).toEqual(ids.map(() => joins))
    expect(await listed(pool)).toEqual({ first: ids.slice(0, 100), total: 200 })
  })

  it('creates nothing if one of many clients does not exist', async () => {
    const resource = { name: 'Laptops', device_ids: [...ids, unknownId] }
    const event = { operation: 'create_static_device_pool', account_id: account.id, resource }
    const commits = await commitsBy(async () =>
      expect(await provision(event)).toMatchObject({
        error: { errors: { device_ids: [`${unknownId} does not exist`] } },
      }),
    )
    expect(commits).toEqual([])
  })

  it('accepts at most 10,000 entries', async () => {
    const many = (length: number) => Array.from({ length }, () => ids[0] ?? '')
    expect(await listed(await newPool(many(10_000)))).toEqual({ first: [ids[0]], total: 1 })
    const resource = { name: 'Laptops', device_ids: many(10_001) }
    const event = { operation: 'create_static_device_pool', account_id: account.id, resource }
    expect(await provision(event)).toMatchObject({
      error: { errors: { device_ids: ['should have at most 10000 item(s)'] } },
    })
  })

  it('defers members after its deadline, and skips a client deleted in the meantime', async () => {
    vi.spyOn(workTime, 'provisioning').mockReturnValue(-1)
    const made = await newClients(account, 160)
    const pool = await newPool(made)
    const { total } = await listed(pool)
    expect(total).toBeLessThan(160)
    const deletedClient = made.at(-1) as string
    expect((await account.call(deleteClient, { method: 'DELETE', params: { id: deletedClient } })).status).toBe(200)
    await followUpAll(account.id)
    expect((await listed(pool)).total).toBe(159)
  })

  it('adds no members to a pool that is deleted in the meantime', async () => {
    vi.spyOn(workTime, 'provisioning').mockReturnValue(-1)
    const pool = await newPool(ids)
    await account.call(deleteResource, { method: 'DELETE', params: { id: pool } })
    await followUpAll(account.id)
    expect(await rowIds(pool)).toEqual(new Map())
    expect(await readPending(account.id, 'static_device_pool_members', pool)).toEqual([])
  })
})

describe('a change too large for one commit (A15.6)', () => {
  it('is made in several commits, removals first, and keeps remaining members', async () => {
    const pool = await newPool(ids.slice(0, 120))
    const before = await rowIds(pool)
    const replacement = ids.slice(60, 190)
    const commits = await commitsBy(async () =>
      expect((await put(pool, replacement.toReversed())).body).toEqual({ data: { device_ids: replacement } }),
    )
    expect(commits.length).toBeGreaterThan(2)
    expect(commits.flat()).toEqual([...ids.slice(0, 60).map(() => leaves), ...ids.slice(120, 190).map(() => joins)])
    const after = await rowIds(pool)
    const stayed = ids.slice(60, 120)
    expect(stayed.map((id) => after.get(id))).toEqual(stayed.map((id) => before.get(id)))
    expect(await listed(pool)).toEqual({ first: replacement.slice(0, 100), total: 130 })
  })

  it('returns the whole resulting set of an edit', async () => {
    const pool = await newPool(ids.slice(0, 100))
    const answer = await pools.patch(pool, { add: ids.slice(90), remove: ids.slice(0, 95) })
    expect(answer.body).toEqual({ data: { device_ids: ids.slice(90) } })
    expect((await listed(pool)).total).toBe(110)
  })

  it('writes nothing if one of many clients does not exist', async () => {
    const pool = await newPool(ids.slice(0, 100))
    const commits = await commitsBy(async () => expect((await put(pool, [...ids, unknownId])).status).toBe(422))
    expect(commits).toEqual([])
  })
})

describe('a change that takes longer than its request (A15.6)', () => {
  const late = () => vi.spyOn(workTime, 'request').mockReturnValue(-1)
  const pendingOf = async (pool: string) =>
    (await readPending(account.id, 'static_device_pool_members', pool)).flatMap((part) => part.ids)

  it('returns 202 with the current set and the pending number, and continues with the subject of the request', async () => {
    const pool = await newPool(ids.slice(0, 40))
    late()
    const answer = await put(pool, ids.slice(20, 200))
    expect([answer.status, answer.body]).toEqual([
      202,
      { data: { device_ids: ids.slice(20, 40) }, metadata: { pending: 160 } },
    ])
    expect((await listed(pool)).total).toBe(20)
    expect((await put(pool, ids.slice(20, 200))).body.metadata).toEqual({ pending: 70 })
    const commits = (await readCommits(account.id)).length
    vi.spyOn(workTime, 'delivery').mockReturnValue(-1)
    await followUpAll(account.id)
    expect((await listed(pool)).total).toBe(180)
    const followed = (await readCommits(account.id)).slice(commits)
    expect(followed.length).toBeGreaterThan(0)
    expect(followed.every(({ subject }) => subject?.actor_id === account.apiClient.id)).toBe(true)
    expect(await put(pool, ids.slice(20, 200))).toMatchObject({
      status: 200,
      body: { data: { device_ids: ids.slice(20) } },
    })
  })

  it('is deferred again after one part by a delivery without time', async () => {
    const pool = await newPool()
    late()
    expect((await put(pool, ids)).body.metadata).toEqual({ pending: 110 })
    const record = toStreamRecord((await readCommits(account.id)).at(-1) as never) as DynamoDBRecord
    await followUp({ Records: [record] }, { getRemainingTimeInMillis: () => 20_000 })
    const [part] = await readPending(account.id, 'static_device_pool_members', pool)
    const left = { below: 'static_device_pool_members', id: pool, change: part?.change }
    expect((await readCommits(account.id)).at(-1)?.follow_ups).toEqual([left])
    expect((await listed(pool)).total).toBe(180)
  })

  it('is the basis of the next request, which can cancel its pending part', async () => {
    const pool = await newPool(ids.slice(0, 10))
    late()
    expect((await put(pool, ids)).status).toBe(202)
    const answer = await pools.patch(pool, { remove: ids.slice(50) })
    expect(answer).toMatchObject({ status: 200, body: { data: { device_ids: ids.slice(0, 50) } } })
    await followUpAll(account.id)
    expect((await listed(pool)).total).toBe(50)
  })

  it('returns 202 when a fault interrupts it', async () => {
    const pool = await newPool(ids.slice(0, 60))
    let commits = 0
    const waited = countWaiting()
    const isLate = (command: object) => command instanceof TransactWriteCommand && ++commits > 2
    // Advances the clock with each failure, so that the request gives up after some retries.
    failTable('InternalServerError', isLate, () => (waited.ms += 5_000))
    const answer = await put(pool, ids.slice(50))
    vi.restoreAllMocks()
    expect([answer.status, answer.body.metadata.pending]).toEqual([202, (await pendingOf(pool)).length])
    expect(answer.body.data.device_ids).toEqual([...(await rowIds(pool)).keys()].sort())
    expect(answer.body.metadata.pending).toBeGreaterThan(0)
  })

  it('is skipped if another change has replaced it', async () => {
    const pool = await newPool()
    late()
    await put(pool, ids.slice(0, 150))
    const [first] = (await readCommits(account.id)).slice(-1).map((one) => toStreamRecord(one) as DynamoDBRecord)
    const other = { accountId: account.id, subject: null }
    const joining = ids.slice(0, 50)
    await commit(other, async (transaction) => {
      const before = await readPending(account.id, 'static_device_pool_members', pool)
      stagePending(transaction, null, 'static_device_pool_members', pool, { leaving: [], joining }, before)
    })
    const rows = await rowIds(pool)
    await followUp({ Records: [first as DynamoDBRecord] })
    expect(await rowIds(pool)).toEqual(rows)
    expect(await pendingOf(pool)).toEqual(joining)
  })

  it('stores 10,000 leaving and 10,000 joining members in one commit, and reads them sorted', async () => {
    const pool = await newPool()
    const many = () => Array.from({ length: 10_000 }, () => crypto.randomUUID())
    const [leaving, joining] = [many(), many()]
    await commit({ accountId: account.id, subject: null }, async (transaction) =>
      stagePending(transaction, null, 'static_device_pool_members', pool, { leaving, joining }),
    )
    const parts = await readPending(account.id, 'static_device_pool_members', pool)
    expect(parts.length).toBeLessThanOrEqual(20)
    expect(parts.filter(({ joins }) => !joins).flatMap((part) => part.ids)).toEqual(leaving.sort())
    expect(parts.filter(({ joins }) => joins).flatMap((part) => part.ids)).toEqual(joining.sort())
  })
})
