import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/api/access/list-refusals.ts'
import { clock, hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { refusalHour, refusalsOfLastDay, refusalsPartition } from '#shared/logs/refusals/refusals.ts'
import { putItem } from '#shared/table/put-item.ts'
import { rowsBy } from '#shared/table/read.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { plantItems } from '#test/support/table/plant-rows.ts'

const elsewhere = { property: 'remote_ip', operator: 'is_in_cidr', values: ['203.0.113.0/24'] }
const verified = { property: 'client_verified', operator: 'is', values: ['true'] }

afterEach(() => vi.restoreAllMocks())

const list = (account: Account, query: Record<string, string> = {}) => account.call(handler, { query })
// biome-ignore lint/suspicious/noExplicitAny: bodies
const rowsOf = async (account: Account, query: Record<string, string> = {}): Promise<any[]> =>
  (await list(account, query)).body.data

const clientIdOf = async ({ account, actor }: AccessWorld) =>
  (await rowsBy(clients, account.id, 'actor_id', actor.id))[0]?.id

describe('GET /access/refusals (K11.G9)', () => {
  it('counts each reason of a refusal, and no grant', async () => {
    const world = await newAccessWorld()
    const { account, resource, ask } = world
    await world.startSession({ version: '1.4.0' })
    const pool = await world.addResource({ type: 'static_device_pool', site_id: null, address: null })
    const [hidden, denied] = [await world.addResource(), await world.addResource()]
    for (const { id } of [pool, denied])
      await world.addPolicy({ resource_id: id, conditions: id === denied.id ? [elsewhere, verified] : [] })
    const statuses: number[] = []
    const attempt = async (id: string) => statuses.push((await ask({ resource_id: id })).status)
    for (const id of [randomUUID(), randomUUID(), pool.id, hidden.id, denied.id, denied.id, resource.id])
      await attempt(id)
    await world.addGateway('1.7.0')
    await attempt(resource.id)
    await world.addGateway('1.4.0')
    await attempt(resource.id)
    await attempt(resource.id)
    expect(statuses).toEqual([404, 404, 404, 404, 403, 403, 409, 409, 201, 200])
    const rows = await rowsOf(account)
    const client_id = await clientIdOf(world)
    const found = rows.map(({ hour: _hour, first_at: _first, last_at: _last, ...row }) => row)
    const row = (resource_id: string | null, reason: string, count: number, violated: string[] = []) => ({
      ...{ actor_id: world.actor.id, client_id, ip: '192.0.2.10', ip_region: null },
      resource_id,
      reason,
      violated,
      count,
    })
    expect(found).toHaveLength(6)
    expect(found).toEqual(
      expect.arrayContaining([
        row(null, 'unknown_resource', 2),
        row(pool.id, 'not_connectable', 1),
        row(hidden.id, 'no_policy', 1),
        row(denied.id, 'conditions_violated', 2, ['remote_ip', 'client_verified']),
        row(resource.id, 'gateway_offline', 1),
        row(resource.id, 'version_mismatch', 1),
      ]),
    )
    const hour = timestamp(hourStart(clock.now()))
    for (const { hour: at, first_at, last_at, count } of rows) {
      expect(at).toBe(hour)
      expect(first_at >= hour && (count === 1 ? last_at === first_at : last_at > first_at)).toBe(true)
    }
    expect(await refusalsOfLastDay(account.id)).toBe(8)
  })

  it('records nothing for the refusals of steps 1 and 2', async () => {
    const world = await newAccessWorld()
    for (const fields of [{}, { resource_id: 'x' }, { resource_id: randomUUID() }]) await world.ask(fields)
    expect([await rowsOf(world.account), await refusalsOfLastDay(world.account.id)]).toEqual([[], 0])
  })

  it('costs two write units more than the request, and nothing for a grant', async () => {
    const world = await newAccessWorld()
    const { id } = (await world.startSession()).body.data
    const ask = (resource_id: string) => measure(() => world.ask({ resource_id, session_id: id }))
    await world.ask({ resource_id: randomUUID() })
    const refused: Consumed[] = []
    for (let i = 0; i < 4; i++) refused.push(await ask(randomUUID()))
    // A request can also renew a lease of the rate limit.
    expect(Math.min(...refused.map(({ writes }) => writes))).toBe(2)
    await world.addGateway()
    const before = await refusalsOfLastDay(world.account.id)
    await ask(world.resource.id)
    expect(await refusalsOfLastDay(world.account.id)).toBe(before)
  })
})

type Planted = { hour: number; actor: string; client: string; resource?: string | null; reason?: string }

const planted = (account: Account, { hour, actor, client, resource = null, reason = 'no_policy' }: Planted) => ({
  pk: refusalsPartition(account.id),
  sk: [refusalHour(hour), client, resource ?? '', reason].join('#'),
  kind: 'refusal',
  ttl: Math.ceil(hour / 1_000_000) + 90 * 86_400,
  ...{ actor_id: actor, client_id: client, resource_id: resource, reason },
  violated: ['remote_ip_location_region', 'current_utc_datetime', 'auth_provider_id', 'client_verified', 'remote_ip'],
  ...{ ip: '2001:db8:1111:2222:3333:4444:5555:6666', ip_region: 'DE', count: 41 },
  ...{ first_at: timestamp(hour + 60_000_000), last_at: timestamp(hour + 120_000_000) },
})

describe('its pages and filters', () => {
  let account: Account
  const [uma, ada] = [randomUUID(), randomUUID()]
  const ids = Array.from({ length: 6 }, () => randomUUID()).sort()
  const now = hourStart(clock.now())
  const hours = [now - 2 * hourMicros, now - hourMicros, now]
  beforeAll(async () => {
    account = await newAccount()
    for (const [i, client] of ids.entries())
      await putItem(
        planted(account, {
          hour: hours[Math.floor(i / 2)] ?? 0,
          actor: i % 2 ? ada : uma,
          client,
          resource: i === 0 ? null : (ids[0] ?? null),
          reason: i === 5 ? 'gateway_offline' : 'no_policy',
        }),
      )
  })
  const clientsOf = async (query: Record<string, string> = {}) =>
    (await rowsOf(account, query)).map(({ client_id }) => ids.indexOf(client_id))

  it('lists the newest hour first, and pages in both directions', async () => {
    expect(await clientsOf()).toEqual([5, 4, 3, 2, 1, 0])
    const first = await list(account, { limit: '4' })
    expect(first.body.metadata).toMatchObject({ limit: 4, prev_page: null, read_until: null })
    const second = await list(account, { limit: '4', page_cursor: first.body.metadata.next_page })
    expect([second.body.data.length, second.body.metadata.next_page]).toEqual([2, null])
    const back = await list(account, { limit: '4', page_cursor: second.body.metadata.prev_page })
    expect(back.body.data).toEqual(first.body.data)
    expect(back.body.metadata.prev_page).toBeNull()
  })

  it.each<[string, Record<string, string>, number[]]>([
    ['actor_id', { actor_id: ada }, [5, 3, 1]],
    ['client_id', { client_id: String(ids[2]) }, [2]],
    ['resource_id', { resource_id: String(ids[0]) }, [5, 4, 3, 2, 1]],
    ['reason', { reason: 'gateway_offline' }, [5]],
    ['begin', { begin: timestamp(now - hourMicros + 90_000_000) }, [5, 4, 3, 2]],
    ['begin after the last refusal of an hour', { begin: timestamp(now - hourMicros + 121_000_000) }, [5, 4]],
    ['end', { end: timestamp(now - hourMicros + 60_000_000) }, [3, 2, 1, 0]],
    ['end before the first refusal of an hour', { end: timestamp(now - hourMicros + 59_000_000) }, [1, 0]],
    ['several', { actor_id: uma, reason: 'no_policy', begin: timestamp(now - hourMicros) }, [4, 2]],
    ['an unknown client', { client_id: randomUUID() }, []],
  ])('filters by %s', async (_name, query, expected) => {
    expect(await clientsOf(query)).toEqual(expected)
  })

  it.each<Record<string, string>>([
    { begin: 'yesterday' },
    { end: '' },
    { begin: '1969-12-31T23:59:59Z' },
    { actor_id: 'x' },
    { client_id: '' },
    { resource_id: 'null' },
    { reason: 'unknown' },
    { begin: '2026-03-01T00:00:01Z', end: '2026-03-01T00:00:00Z' },
  ])('refuses %j', async (query) => {
    const { status, body } = await list(account, query)
    expect([status, body.code]).toEqual([400, 'invalid_filter'])
  })

  it('hides rows whose retention has ended, and rows of other accounts', async () => {
    const own = await newAccount()
    const row = planted(own, { hour: now, actor: uma, client: uma })
    await putItem({ ...row, ttl: Math.floor(clock.now() / 1_000_000) })
    expect(await rowsOf(own)).toEqual([])
    await putItem(row)
    expect(await rowsOf(own)).toMatchObject([{ client_id: uma }])
  })

  it('requires logs:read', async () => {
    const narrow = await withScopes(account, 'logs:read')
    expect((await list(narrow)).status).toBe(200)
    const other = await withScopes(account, 'policies:read', 'clients:write')
    expect((await list(other)).body).toMatchObject({ status: 403, required_scope: 'logs:read' })
  })

  it('reads at most 2,000 rows and 400 read units per page, and resumes there', async () => {
    const busy = await newAccount()
    const rows = Array.from({ length: 2_500 }, (_, i) =>
      planted(busy, {
        hour: now - i * hourMicros,
        actor: i === 2_400 ? ada : uma,
        client: randomUUID(),
        resource: uma,
      }),
    )
    await plantItems(rows.map((row) => ({ ...row, ttl: 9_999_999_999 })))
    const pages: Awaited<ReturnType<typeof list>>[] = []
    const query = { actor_id: ada, limit: '1000' }
    const cost = await measure(async () => pages.push(await list(busy, query)))
    const [first] = pages
    expect(first?.body.data).toEqual([])
    expect(first?.body.metadata.read_until).toBe(timestamp(now - 1_999 * hourMicros))
    expect(cost.reads).toBeLessThanOrEqual(400)
    const next = await list(busy, { ...query, page_cursor: first?.body.metadata.next_page })
    expect(next.body.data).toHaveLength(1)
    expect(next.body.metadata).toMatchObject({ next_page: null, read_until: null })
    const back = await list(busy, { ...query, page_cursor: next.body.metadata.prev_page })
    expect(back.body.data).toEqual([])
  })
})
