import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { clock } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { presenceItem, seenFrom } from '#shared/domain/presence/presence.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { newAccount } from '#test/support/account.ts'
import { robotRow } from '#test/support/actors.ts'
import { commitsOf } from '#test/support/commit-stream.ts'
import { measure } from '#test/support/consumed-capacity.ts'
import { cpuOf } from '#test/support/cpu-cost.ts'
import { entries, newMembershipWorld } from '#test/support/memberships.ts'
import { plantIds, plantItems, plantRows } from '#test/support/plant-rows.ts'

/** A set that is written at once and listed whole. */
export type MemberCosts = {
  members: number
  commits: number
  requests: number
  /** Kilobytes that are written for a member, with its part of what each commit has beside its members. */
  kilobytes: number
  /** How many members of the large set take the CPU of one that a request adds by itself. */
  putRatio: number
  readUnits: number
}

const limits = { api_capacity: 1_000_000, api_refill_rate: 1_000_000 }

/** Sets the members of a group, and of another one by one, and lists them whole. */
export async function memberCosts(members: number): Promise<MemberCosts> {
  const world = await newMembershipWorld()
  const { account } = world
  const ids = await plantIds<ActorRow>(account.id, actors, members, robotRow)
  const set = async (group: string, some: string[]) => {
    const { status, text } = await world.put(group, entries(...some))
    if (status !== 200) throw new Error(`The members were not set: ${text}`)
  }
  const [one, all] = [await world.newGroup(), await world.newGroup()]
  // Each adds one to those before.
  const singles = 20
  const single = await cpuOf(async () => {
    for (let i = 1; i <= singles; i++) await set(one, ids.slice(0, i))
  })
  const before = (await commitsOf(account.id)).length
  let put = 0
  const { requests, writes } = await measure(async () => {
    put = await cpuOf(() => set(all, ids))
  })
  const commits = (await commitsOf(account.id)).length - before
  const { reads } = await measure(async () => {
    for (let page_cursor: string | null = ''; page_cursor !== null; ) {
      const query: Record<string, string> = { limit: '100', ...(page_cursor && { page_cursor }) }
      page_cursor = (await world.list(all, query)).body.metadata.next_page
    }
  })
  return {
    members,
    commits,
    requests,
    kilobytes: writes / 2 / members,
    putRatio: single / singles / (put / members),
    readUnits: reads / members,
  }
}

export const memberText = ({ members, commits, requests, kilobytes, putRatio, readUnits }: MemberCosts): string =>
  [
    `${members} members in one request: ${commits} commits, ${requests} requests to the table, ${kilobytes.toFixed(2)} KB written for a member`,
    `${putRatio.toFixed(0)} members for the CPU of one that is added by itself; listed whole for ${readUnits.toFixed(2)} read units each`,
    '',
  ].join('\n')

/** What a page of clients, each online with a token of its own, takes of what one of groups takes. */
export type ClientListRatio = { rows: number; reads: [clients: number, groups: number]; cpu: number }

/** A page of so many clients beside one of as many groups. */
export async function clientListRatio(rows: number): Promise<ClientListRatio> {
  const account = await newAccount({ limits })
  await plantRows<GroupRow>(account.id, groups, rows, (i) => ({
    name: `Group ${i}`,
    ...nativeGroup,
  }))
  const planted = await plantRows<ClientRow>(account.id, clients, rows, (i) => ({
    actor_id: account.admin.id,
    name: `Laptop ${i}`,
    ipv4: `100.64.1.${i}`,
    ipv6: `fd00:2021:1111::${i.toString(16)}`,
    svc_id: `laptop-${i}`,
    verified_at: null,
    hostname: `laptop-${i}.example.com`,
    device_serial: `SERIAL${i}`,
    device_uuid: uuidV7(clock.now()),
    identifier_for_vendor: null,
    push_installation_id: null,
    os_name: 'macOS',
    os_version: '15.2',
  }))
  const now = clock.now()
  const origin = {
    ip: '192.0.2.1',
    ip_region: null,
    ip_city: null,
    ip_lat: null,
    ip_lon: null,
    user_agent: 'client/1.4.0',
  }
  await plantItems(
    planted.map(({ id }) =>
      presenceItem(account.id, 'clients', id, {
        session_id: uuidV7(now),
        lease_expires_at: now + 3_600_000_000,
        token_id: uuidV7(now),
        public_key: 'k'.repeat(44),
        tested: 'tested',
        ...seenFrom(origin, '1.4.0', now),
      }),
    ),
  )
  const ask = async (handler: Handler) => {
    const { status, text } = await account.call(handler, { query: { limit: String(rows) } })
    if (status !== 200) throw new Error(`The list was refused: ${text}`)
  }
  const cpu = { clients: 0, groups: 0 }
  // By turns, and not the first ones.
  for (let round = 0; round < 6; round++) {
    for (const [name, handler] of [
      ['clients', listClients],
      ['groups', listGroups],
    ] as const) {
      const used = await cpuOf(async () => {
        for (let i = 0; i < 20; i++) await ask(handler)
      })
      if (round > 0) cpu[name] += used
    }
  }
  const reads = async (handler: Handler) => (await measure(() => ask(handler))).reads
  return { rows, reads: [await reads(listClients), await reads(listGroups)], cpu: cpu.clients / cpu.groups }
}

export const clientListText = ({ rows, reads: [ofClients, ofGroups], cpu }: ClientListRatio): string =>
  `a page of ${rows} clients takes ${ofClients} read units, one of groups ${ofGroups}; ${cpu.toFixed(2)} times the CPU\n`
