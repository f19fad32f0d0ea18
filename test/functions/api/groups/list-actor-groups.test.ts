import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler } from '#functions/api/groups/list-actor-groups.ts'
import { type MembershipRow, memberships } from '#shared/domain/memberships/membership.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { entries, type MembershipWorld, newMembershipWorld } from '#test/support/accounts/memberships.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantGroups } from '#test/support/table/plant-listed.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

let world: MembershipWorld
let own: string[]
beforeAll(async () => {
  world = await newMembershipWorld()
  own = [await world.newGroup(), await world.newGroup()]
  await world.newGroup()
  for (const id of own) await world.put(id, entries(world.a, world.b, world.c))
})

const list = (actor_id: string, query: Record<string, string> = {}, { account } = world) =>
  account.call(handler, { params: { actor_id }, query })
// biome-ignore lint/suspicious/noExplicitAny: bodies
const ids = ({ body }: any): string[] => body.data.map(({ id }: { id: string }) => id)

describe('GET /actors/{actor_id}/groups', () => {
  it('lists the groups of an actor as GET /groups/{id} shows them, for people with Everyone (K11.G4)', async () => {
    const { body } = await list(world.a)
    expect(ids({ body })).toEqual([world.everyone, ...own])
    expect(body.metadata).toEqual({ limit: 50, next_page: null, prev_page: null })
    expect(body.data[1]).toEqual((await world.account.call(getGroup, { params: { id: String(own[0]) } })).body.data)
    expect([ids(await list(world.b)), ids(await list(world.c))]).toEqual([own, own])
    expect(ids(await list(world.account.admin.id))).toEqual([world.everyone])
    await actorsApi.update(world.account, world.a, { is_disabled: true })
    expect(ids(await list(world.a))).toEqual([world.everyone, ...own])
  })

  it('pages in both directions', async () => {
    const pages = [await list(world.a, { limit: '1' })]
    for (let next = pages[0]?.body.metadata.next_page; next; next = pages.at(-1)?.body.metadata.next_page)
      pages.push(await list(world.a, { limit: '1', page_cursor: next }))
    expect(pages.map(ids)).toEqual([[world.everyone], [own[0]], [own[1]]])
    const back = await list(world.a, { limit: '5', page_cursor: pages[2]?.body.metadata.prev_page })
    expect([ids(back), back.body.metadata.prev_page]).toEqual([[world.everyone, own[0]], null])
  })

  it('returns 404 for an unknown actor, and 400 for an invalid cursor first', async () => {
    expect((await list(randomUUID())).status).toBe(404)
    const other = await newMembershipWorld()
    expect((await list(world.a, {}, other)).status).toBe(404)
    expect((await list(randomUUID(), { page_cursor: 'x' })).body.code).toBe('invalid_page_cursor')
  })

  it('requires groups:read, and not actors:read', async () => {
    const account = await withScopes(world.account, 'groups:read')
    expect((await account.call(handler, { params: { actor_id: world.a } })).status).toBe(200)
    const wrong = await withScopes(world.account, 'actors:write')
    expect((await wrong.call(handler, { params: { actor_id: world.a } })).body.required_scope).toBe('groups:read')
  })

  it('takes at most 10 read units and 3 per row, also for an actor in many groups', async () => {
    const { account, b } = await newMembershipWorld()
    const planted = await plantGroups(account, 400)
    await plantRows<MembershipRow>(account.id, memberships, 400, (i) => ({
      group_id: planted[i]?.id ?? '',
      actor_id: b,
    }))
    for (const limit of [1, 50]) {
      const page = () => account.call(handler, { params: { actor_id: b }, query: { limit: String(limit) } })
      expect(ids(await page())).toHaveLength(limit)
      expect((await measure(page)).reads).toBeLessThanOrEqual(10 + 3 * limit)
    }
  })
})
