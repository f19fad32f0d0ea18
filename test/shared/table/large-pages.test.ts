import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it, vi } from 'vitest'
import { handler as listActorsWithAccess } from '#functions/api/access/list-actors-with-access.ts'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as listMemberships } from '#functions/api/memberships/list-memberships.ts'
import { handler as listPolicies } from '#functions/api/policies/list-policies.ts'
import { clock, dayMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { type MembershipRow, memberships } from '#shared/domain/memberships/membership.ts'
import { type PolicyRow, policies } from '#shared/domain/policies/policy.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { sites } from '#shared/domain/sites/site.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { hostFields, openPolicy } from '#test/support/accounts/row-fields.ts'
import { largestConditions } from '#test/support/largest/fill-lists.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantGroups, plantOnlineClients } from '#test/support/table/plant-listed.ts'
import { plantIds, plantItems, plantRows } from '#test/support/table/plant-rows.ts'

const count = 1_050
const hourMicros = dayMicros / 24
const policyGroup = randomUUID()
const newLogAccount = () => ({ id: randomUUID(), inserted_at: timestamp(0) }) as AccountRow
const logAccount = newLogAccount()

type Query = Record<string, string>
type Listed = { data: object[]; metadata: { next_page: string | null } }

let account: Account
let params: Record<string, string>

// Sets the time of day to 18:00, because the number of reads depends on how many entries today has.
const realTime = clock.now
const shift = 18 * hourMicros - (realTime() % dayMicros)
vi.spyOn(clock, 'now').mockImplementation(() => realTime() + shift)

beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  const [group] = await plantGroups(account, count)
  params = { group_id: group?.id as string }
  await plantOnlineClients(account, count)
  const people = await plantRows<ActorRow>(account.id, actors, count, robotRow, [])
  const member = (i: number) => ({ group_id: group?.id as string, actor_id: people[i]?.id as string })
  await plantRows<MembershipRow>(account.id, memberships, count, member, [])
  const policy = () => ({ group_id: policyGroup, ...openPolicy, resource_id: randomUUID() })
  await plantRows<PolicyRow>(account.id, policies, count, policy, ['group_id'])
  await plantItems(Array.from({ length: count }, (_, i) => Object.values(entriesOf(logAccount, i)).flat()).flat())
})

/** Returns the items of one entry per stream, without flows. The entries are spread evenly over a time before now. */
function entriesOf({ id: owner }: AccountRow, i: number, time = 3 * dayMicros) {
  const at = Math.floor(clock.now() - time * (1 - i / count))
  const subject = {
    actor_id: policyGroup,
    actor_email: null,
    actor_name: 'Ada',
    token_id: policyGroup,
    ip: '192.0.2.1',
  }
  const change = { object: 'groups', operation: 'insert', before: null, after: { id: policyGroup }, subject }
  const session = { context: 'client', subject }
  const request = { actor_id: policyGroup, method: 'GET', path: '/groups', request_id: policyGroup, ip: '192.0.2.1' }
  const items = (stream: 'change' | 'session' | 'api_request', fields: object) =>
    logItems(owner, stream, logId(stream, at, positionTail(i)), at, fields as Record<string, unknown>)
  return {
    changes: items('change', change),
    sessions: items('session', session),
    requests: items('api_request', request),
  }
}

const rowsOf = (handler: Handler) => async (query: Query) => (await account.call(handler, { params, query })).body
const logsOf = (filter: Query) => (query: Query) => listLogs(logAccount, new URLSearchParams({ ...filter, ...query }))

// Requests with an API token read the credential, store their log entry, and sometimes reserve units of the rate limit. Requests of
// `listLogs` do none of these.
const lists: [name: string, list: (query: Query) => Promise<Listed>, requests: number, trips: number][] = [
  ['groups', rowsOf(listGroups), 5, 3],
  ['policies', rowsOf(listPolicies), 5, 3],
  ['policies of a group', (query) => rowsOf(listPolicies)({ group_id: policyGroup, ...query }), 15, 8],
  ['clients', rowsOf(listClients), 6, 3],
  ['actors', rowsOf(listActors), 5, 3],
  ['memberships', rowsOf(listMemberships), 17, 4],
  ['changes', logsOf({ type: 'change' }), 5, 4],
  ['sessions', logsOf({ type: 'session' }), 5, 4],
  ['API requests', logsOf({ type: 'api_request' }), 5, 4],
  ['changes of an actor', logsOf({ type: 'change', actor_id: policyGroup }), 13, 8],
  ['all logs', logsOf({}), 14, 6],
]

it.each(lists)(
  'a page of 1,000 %s needs few requests, and no more read units than ten pages of 100',
  async (...row) => {
    const [, list, requests, trips] = row
    const pages = async (limit: number) => {
      const all: object[] = []
      for (let page_cursor: string | null = ''; page_cursor !== null && all.length < 1_000; ) {
        const { data, metadata } = await list({ limit: String(limit), ...(page_cursor && { page_cursor }) })
        all.push(...data)
        page_cursor = metadata.next_page
      }
      return all
    }
    await list({ limit: '1' })
    let whole: object[] = []
    const page = await measure(async () => {
      whole = await pages(1_000)
    })
    let small: object[] = []
    const ten = await measure(async () => {
      small = await pages(100)
    })
    expect(whole).toHaveLength(1_000)
    expect(whole).toEqual(small)
    expect(page.reads).toBeLessThanOrEqual(ten.reads)
    expect(page.requests).toBeLessThanOrEqual(requests)
    expect(page.trips).toBeLessThanOrEqual(trips)
  },
)

it('reads two merged log streams little further than their shares of the page', async () => {
  const owner = newLogAccount()
  const planted = Array.from({ length: count }, (_, i) => entriesOf(owner, i, hourMicros))
  await plantItems(planted.flatMap(({ changes, requests }) => [...changes, ...requests]))
  // Sets the beginning, because every empty day of the other streams costs a read.
  const window = { begin: timestamp(clock.now() - 2 * hourMicros) }
  const readsOf = async (query: Query) =>
    (await measure(() => listLogs(owner, new URLSearchParams({ ...window, ...query })))).reads
  const shares =
    (await readsOf({ type: 'change', limit: '500' })) + (await readsOf({ type: 'api_request', limit: '500' }))
  expect((await readsOf({ limit: '1000' })) / shares).toBeLessThan(1.8)
})

it('evaluates few candidates of an access list whose rows are large', async () => {
  const large = await newAccount()
  const [site_id = ''] = await plantIds(
    large.id,
    sites,
    1,
    () => ({ name: 'Site', managed_by: 'account' as const }),
    [],
  )
  const [resource_id = ''] = await plantIds(large.id, resources, 1, (i) => hostFields(i, site_id), [])
  const people = await plantIds<ActorRow>(large.id, actors, 400, robotRow, [])
  const conditions = largestConditions()
  for (const { id: group_id } of await plantGroups(large, 4)) {
    const member = (i: number) => ({ group_id, actor_id: people[i] as string })
    await plantRows<MembershipRow>(large.id, memberships, people.length, member, [])
    await plantRows<PolicyRow>(large.id, policies, 1, () => ({ ...openPolicy, group_id, resource_id, conditions }))
  }
  const request = { params: { id: resource_id }, query: { limit: '1000' } }
  let rows = 0
  const { reads } = await measure(async () => {
    rows = (await large.call(listActorsWithAccess, request)).body.data.length
  })
  expect(rows).toBeGreaterThan(0)
  // Allows one unit for each of 101 actors, and as many for all other reads.
  expect(reads).toBeLessThan(202)
})
