import { beforeAll, describe, expect, it } from 'vitest'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import * as poolMembers from '#shared/domain/pool-members/store.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/account.ts'
import { commitsOf } from '#test/support/commit-stream.ts'
import { plantRows } from '#test/support/plant-rows.ts'
import { devices, type Pools, poolsOf } from '#test/support/pools.ts'

const unknown = '0198a000-0000-7000-8000-000000000000'
let account: Account
let pools: Pools
let ids: string[]

beforeAll(async () => {
  account = await newAccount()
  pools = poolsOf(account)
  await plantRows<ClientRow>(account.id, clients, 200, (i) => ({
    actor_id: account.admin.id,
    name: `Laptop ${i}`,
    ipv4: `100.64.1.${i}`,
    ipv6: `fd00:2021:1111::${i.toString(16)}`,
    svc_id: `laptop-${i}`,
    verified_at: null,
    hostname: null,
    device_serial: null,
    device_uuid: null,
    identifier_for_vendor: null,
    push_installation_id: null,
    os_name: null,
    os_version: null,
  }))
  ids = (await queryItems(partition(account.id, 'clients'))).map(({ id }) => id as string)
})

const newPool = (device_ids?: string[]) => pools.newPool(device_ids)
const put = (pool: string, members: string[]) => pools.put(pool, devices(...members))
const listed = async (resource_id: string) => {
  const { data, metadata } = (await pools.list(resource_id, { limit: '100' })).body
  return { first: data.map(({ id }: { id: string }) => id), total: metadata.total }
}
const rowIds = async (pool: string) =>
  new Map(
    (await queryItems(partition(account.id, 'static_device_pool_members', pool))).map((row) => [row.device_id, row.id]),
  )
/** The commits that `change` makes, as lists of what each did to which kind of object. */
const commitsBy = async (change: () => Promise<unknown>) => {
  const before = (await commitsOf(account.id)).length
  await change()
  return (await commitsOf(account.id))
    .slice(before)
    .map(({ changes }) => changes.map(({ object, operation }) => `${operation} ${object}`))
}
const joins = 'insert static_device_pool_members'
const leaves = 'delete static_device_pool_members'

describe('create_static_device_pool (A32)', () => {
  it('makes a pool and its members in one commit', async () => {
    const commits = await commitsBy(() => newPool(ids.slice(0, 3)))
    expect(commits).toEqual([['insert resources', joins, joins, joins]])
  })

  it('puts members that do not fit the commit of the pool into commits after it', async () => {
    let pool = ''
    const commits = await commitsBy(async () => {
      pool = await newPool([...ids, ids[0]?.toUpperCase() ?? ''])
    })
    expect(commits.length).toBeGreaterThan(2)
    expect(commits[0]?.slice(0, 2)).toEqual(['insert resources', joins])
    expect(commits.flat().slice(1)).toEqual(ids.map(() => joins))
    expect(await listed(pool)).toEqual({ first: ids.slice(0, 100), total: 200 })
  })

  it('makes nothing when one of many clients does not exist', async () => {
    const resource = { name: 'Laptops', device_ids: [...ids, unknown] }
    const event = { operation: 'create_static_device_pool', account_id: account.id, resource }
    const commits = await commitsBy(async () =>
      expect(await provision(event)).toMatchObject({
        error: { errors: { device_ids: [`${unknown} does not exist`] } },
      }),
    )
    expect(commits).toEqual([])
  })

  it('takes 10,000 entries and no more', async () => {
    const many = (length: number) => Array.from({ length }, () => ids[0] ?? '')
    expect(await listed(await newPool(many(10_000)))).toEqual({ first: [ids[0]], total: 1 })
    const resource = { name: 'Laptops', device_ids: many(10_001) }
    const event = { operation: 'create_static_device_pool', account_id: account.id, resource }
    expect(await provision(event)).toMatchObject({
      error: { errors: { device_ids: ['should have at most 10000 item(s)'] } },
    })
  })

  it('leaves out a client that is deleted while the members are added, and ends with the pool', async () => {
    const author = { accountId: account.id, subject: null }
    const pool = await newPool()
    await poolMembers.addRest(author, pool, [unknown, ...ids.slice(0, 2)])
    expect(await listed(pool)).toEqual({ first: ids.slice(0, 2), total: 2 })
    await expect(poolMembers.addRest(author, unknown, ids)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a change too large for one commit (A15.6)', () => {
  it('takes place in parts, removals first, and keeps who stays', async () => {
    const pool = await newPool(ids.slice(0, 120))
    const before = await rowIds(pool)
    const wanted = ids.slice(60, 190)
    const commits = await commitsBy(async () =>
      expect((await put(pool, wanted.toReversed())).body).toEqual({ data: { device_ids: wanted } }),
    )
    expect(commits.length).toBeGreaterThan(2)
    expect(commits.flat()).toEqual([...ids.slice(0, 60).map(() => leaves), ...ids.slice(120, 190).map(() => joins)])
    const after = await rowIds(pool)
    const stayed = ids.slice(60, 120)
    expect(stayed.map((id) => after.get(id))).toEqual(stayed.map((id) => before.get(id)))
    expect(await listed(pool)).toEqual({ first: wanted.slice(0, 100), total: 130 })
  })

  it('is answered with the whole set when it is edited', async () => {
    const pool = await newPool(ids.slice(0, 100))
    const answer = await pools.patch(pool, { add: ids.slice(90), remove: ids.slice(0, 95) })
    expect(answer.body).toEqual({ data: { device_ids: ids.slice(90) } })
    expect((await listed(pool)).total).toBe(110)
  })

  it('writes nothing when one of many clients does not exist', async () => {
    const pool = await newPool(ids.slice(0, 100))
    const commits = await commitsBy(async () => expect((await put(pool, [...ids, unknown])).status).toBe(422))
    expect(commits).toEqual([])
  })
})
