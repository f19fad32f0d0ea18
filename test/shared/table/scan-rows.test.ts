import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { handler as listPolicies } from '#functions/api/policies/list-policies.ts'
import { timestamp } from '#shared/core/clock.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import { type PolicyRow, policies } from '#shared/domain/policies/policy.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { presenceItemKey } from '#shared/table/keys.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { openPolicy } from '#test/support/accounts/row-fields.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { bareClient } from '#test/support/table/plant-clients.ts'
import { plantItems, plantRows } from '#test/support/table/plant-rows.ts'

/** Filters without an index read a bounded number of rows and read units per page (K11.G13). */

let account: Account
let ids: string[]
const year = (i: number) => timestamp(Date.UTC(2020 + (i % 5)) * 1000)
/** The clients with a number that 10 divides were never seen; the others are online if 100 divides the number before theirs. */
const isSeen = (i: number) => i % 10 !== 0
const isOnline = (i: number) => i % 100 === 1

beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  const rows = await plantRows<ClientRow>(
    account.id,
    clients,
    1_200,
    (i) => ({
      actor_id: unknownId,
      name: i < 600 ? 'Laptop' : 'Phone',
      ipv4: `100.64.${i >> 8}.${i & 255}`,
      ipv6: `fd00:2021:1111::${i.toString(16)}`,
      svc_id: `svc ${i}`,
      ...bareClient,
      verified_at: i === 1_150 ? year(0) : null,
    }),
    ['name'],
  )
  ids = rows.map(({ id }) => id)
  await plantItems(
    ids.flatMap((id, i) => {
      const lease_expires_at = isOnline(i) ? 4_000_000_000_000_000 : 0
      const presence = { kind: 'presence', lease_expires_at, public_key: 'x', last_seen_at: year(i) }
      return isSeen(i) ? [{ ...presenceItemKey(account.id, 'clients', id), ...presence }] : []
    }),
  )
})

type Query = Record<string, string>
/** Reads a page, and returns the numbers of its rows with its metadata and its read units. */
async function read(query: Query, handler: Handler = listClients) {
  // biome-ignore lint/suspicious/noExplicitAny: bodies
  let body: any
  const { reads } = await measure(async () => {
    body = (await account.call(handler, { query })).body
  })
  const numbers: number[] = body.data.map(({ id }: { id: string }) => ids.indexOf(id))
  return { numbers, metadata: body.metadata, reads, data: body.data }
}

async function walk(query: Query, handler?: Handler) {
  const pages = [await read(query, handler)]
  for (let next = pages[0]?.metadata.next_page; next; next = pages.at(-1)?.metadata.next_page)
    pages.push(await read({ ...query, page_cursor: next }, handler))
  return pages
}

const numbersWhere = (test: (i: number) => boolean) => ids.flatMap((_, i) => (test(i) ? [i] : []))

describe('a filter without an index', () => {
  it.each<[Query, (i: number) => boolean]>([
    [{ online: 'true' }, isOnline],
    [{ online: 'false', limit: '1000' }, (i) => !isOnline(i)],
    [{ not_seen_since: year(2), limit: '300' }, (i) => !isSeen(i) || i % 5 < 2],
    [{ not_seen_since: '2022-01-01T02:00:00+02:00', online: 'true' }, (i) => isOnline(i) && i % 5 < 2],
    [{ verified: 'true' }, (i) => i === 1_150],
    [{ name: 'Laptop', online: 'true' }, (i) => i < 600 && isOnline(i)],
    [{ name: 'Phone', svc_id: 'svc 7', online: 'true' }, () => false],
  ])('finds exactly the rows that match %o, in bounded pages', async (query, matches) => {
    const pages = await walk(query)
    expect(pages.flatMap(({ numbers }) => numbers)).toEqual(numbersWhere(matches))
    for (const { metadata, reads } of pages) {
      expect(metadata).toMatchObject({ total: null, count: null })
      expect(reads).toBeLessThanOrEqual(600)
    }
    expect(pages.length).toBeLessThanOrEqual(8)
  })

  it('ends a page without matches after 1,000 rows, and resumes there', async () => {
    const [first, second, ...others] = await walk({ verified: 'true' })
    expect([first?.numbers, second?.numbers, others]).toEqual([[], [1_150], []])
    expect(first?.metadata.prev_page).toBeNull()
    expect(second?.metadata.next_page).toBeNull()
  })

  it('reads few rows if many match', async () => {
    const { numbers, reads } = await read({ online: 'false' })
    expect(numbers).toHaveLength(50)
    expect(reads).toBeLessThanOrEqual(30)
  })

  it('pages backward over the same rows', async () => {
    const query = { online: 'true', limit: '4' }
    const pages = await walk(query)
    expect(pages.map(({ numbers }) => numbers)).toEqual([
      [1, 101, 201, 301],
      [401, 501, 601, 701],
      [801, 901, 1001, 1101],
    ])
    const back: number[][] = []
    for (let prev = pages.at(-1)?.metadata.prev_page; prev; ) {
      const page = await read({ ...query, page_cursor: prev })
      expect(page.metadata.next_page).not.toBeNull()
      back.push(page.numbers)
      prev = page.metadata.prev_page
    }
    expect(back.toReversed().flat()).toEqual([1, 101, 201, 301, 401, 501, 601, 701])
  })

  it('keeps the exact total without such a filter', async () => {
    expect((await read({ name: 'Laptop' })).metadata).toMatchObject({ total: 600, count: 600 })
    expect((await read({})).metadata.total).toBe(1_200)
  })

  it('binds a cursor to the filters', async () => {
    const { metadata } = await read({ online: 'false' })
    const { body } = await account.call(listClients, { query: { online: 'true', page_cursor: metadata.next_page } })
    expect(body.code).toBe('invalid_page_cursor')
  })

  it.each(['online=1', 'online=TRUE', 'verified=', 'online=true&online=true', 'not_seen_since=1969-12-31T00:00:00Z'])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await account.call(listClients, { query })
      const detail = `Invalid value for filter ${query.split('=')[0]}.`
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
    },
  )
})

it('stays below 600 read units with the largest rows', async () => {
  const values = (i: number) => Array.from({ length: 300 }, (_, n) => `${i} ${n} ${'x'.repeat(40)}`)
  await plantRows<PolicyRow>(
    account.id,
    policies,
    250,
    (i) => ({
      group_id: i === 249 ? null : unknownId,
      ...openPolicy,
      resource_id: unknownId,
      conditions: [{ property: 'remote_ip', operator: 'is_in', values: values(i) }],
    }),
    [],
  )
  const pages = await walk({ orphaned: 'true' }, listPolicies)
  expect(pages.flatMap(({ data }) => data)).toHaveLength(1)
  expect(pages.length).toBeGreaterThan(2)
  for (const { reads } of pages) expect(reads).toBeLessThanOrEqual(600)
})

it('finds actors by state and time last seen', async () => {
  const planted = await plantRows<ActorRow>(
    account.id,
    actors,
    300,
    (i) => ({ ...robotRow(i), is_disabled: i % 100 === 0 }),
    ['type'],
  )
  const disabled = await walk({ is_disabled: 'true', type: 'service_account', limit: '2' }, listActors)
  expect(disabled.flatMap(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual(
    [0, 100, 200].map((i) => planted[i]?.id),
  )
  const unseen = await walk({ not_seen_since: year(0), is_disabled: 'false', limit: '1000' }, listActors)
  expect(unseen.flatMap(({ data }) => data).length).toBeGreaterThanOrEqual(297)
})
