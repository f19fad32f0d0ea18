import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { entries, newMembershipWorld } from '#test/support/accounts/memberships.ts'
import { measureCpu } from '#test/support/largest/cpu-cost.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantIds } from '#test/support/table/plant-rows.ts'

export type MemberCosts = {
  members: number
  commits: number
  requests: number
  /** Kilobytes written per member, including the member's share of each commit. */
  kilobytes: number
  /** CPU of a request that adds a single member, divided by the CPU per member of the large set. */
  putRatio: number
  readUnits: number
}

export async function memberCosts(members: number): Promise<MemberCosts> {
  const world = await newMembershipWorld()
  const { account } = world
  const ids = await plantIds<ActorRow>(account.id, actors, members, robotRow)
  const set = async (group: string, ids: string[]) => {
    const { status, text } = await world.put(group, entries(...ids))
    if (status !== 200) throw new Error(`The members were not set: ${text}`)
  }
  const [one, all] = [await world.newGroup(), await world.newGroup()]
  const singles = 20
  const single = await measureCpu(async () => {
    for (let i = 1; i <= singles; i++) await set(one, ids.slice(0, i))
  })
  const before = (await readCommits(account.id)).length
  let put = 0
  const { requests, writes } = await measure(async () => {
    put = await measureCpu(() => set(all, ids))
  })
  const commits = (await readCommits(account.id)).length - before
  const { reads } = await measure(async () => {
    for (let page_cursor: string | null = ''; page_cursor !== null; ) {
      const query: Record<string, string> = { limit: '1000', ...(page_cursor && { page_cursor }) }
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
    `${members} members in one request: ${commits} commits, ${requests} requests to the table, ${kilobytes.toFixed(2)} KB written per member`,
    `${putRatio.toFixed(0)} members for the CPU of adding a single one; listing all takes ${readUnits.toFixed(2)} read units each`,
    '',
  ].join('\n')
