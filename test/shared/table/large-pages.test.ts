import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
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
import type { Handler } from '#shared/http/lambda.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { openPolicy } from '#test/support/accounts/row-fields.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantGroups, plantOnlineClients } from '#test/support/table/plant-listed.ts'
import { plantItems, plantRows } from '#test/support/table/plant-rows.ts'

const count = 1_050
const policyGroup = randomUUID()
const logAccount = { id: randomUUID(), inserted_at: timestamp(0) } as AccountRow

type Query = Record<string, string>
type Listed = { data: object[]; metadata: { next_page: string | null } }

let account: Account
let params: Record<string, string>

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
  await plantItems(Array.from({ length: count }, (_, i) => entriesOf(i)).flat())
})

/** Returns an entry of each stream without flows. The entries are spread evenly over three days. */
function entriesOf(i: number) {
  const at = clock.now() - dayMicros * (3 - (3 * i) / count)
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
  return Object.entries({ change, session, api_request: request }).flatMap(([name, fields]) => {
    const stream = name as 'change' | 'session' | 'api_request'
    return logItems(logAccount.id, stream, logId(stream, Math.floor(at), positionTail(i)), Math.floor(at), fields)
  })
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
