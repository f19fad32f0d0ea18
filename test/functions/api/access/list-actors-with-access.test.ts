import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { actors } from '#shared/domain/actors/actor.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import {
  actorsOf,
  addMember,
  idsOf,
  listActors,
  officeCondition,
  providerCondition,
  unmetCondition,
} from '#test/support/access/access-lists.ts'
import { actorsApi, groupsApi } from '#test/support/accounts/collections.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

describe('GET /access/resources/{id}/actors', () => {
  it('lists actors who can reach a resource, with the granting policies and their conditions', async () => {
    const world = await newAccessWorld([officeCondition])
    const { body } = await listActors(world, world.resource.id)
    const grant = { id: world.policy.id, group_id: world.group.id, conditions: [officeCondition], expires_at: null }
    expect(body).toEqual({
      data: [{ id: world.actor.id, name: 'Robot', type: 'service_account', policies: [grant] }],
      metadata: { limit: 50, next_page: null, prev_page: null },
    })
  })

  it('omits actors who are disabled, never had a client, or have no satisfiable policy', async () => {
    const world = await newAccessWorld()
    const deleted = await addMember(world)
    await updateRow(world.account.id, actors, deleted, { is_disabled: true })
    await addMember(world, { type: 'api_client' })
    expect(idsOf(await actorsOf(world))).toEqual([world.actor.id])
    const closed = await newAccessWorld([unmetCondition])
    expect(await actorsOf(closed)).toEqual([])
  })

  it('lists people for a provider condition, and no service accounts', async () => {
    const world = await newAccessWorld([providerCondition])
    const grace = await addMember(world, { type: 'account_user', email: 'grace@example.com' })
    expect(idsOf(await actorsOf(world))).toEqual([grace.id])
  })

  it('includes the managed group', async () => {
    const world = await newAccessWorld()
    const [everyone] = (await groupsApi.list(world.account, { name: 'Everyone' })).body.data
    const shared = await world.addResource()
    await world.addPolicy({ resource_id: shared.id, group_id: everyone.id })
    expect(idsOf(await actorsOf(world, shared.id))).toEqual([world.account.admin.id])
  })

  it('pages forward and back in the order of the actors, each once', async () => {
    const world = await newAccessWorld()
    for (let i = 0; i < 8; i++) await addMember(world, { is_disabled: i % 3 === 2 })
    const whole = idsOf(await actorsOf(world))
    expect(whole).toEqual([...whole].sort())
    expect(whole).toHaveLength(7)
    const pages: string[][] = []
    let query: Record<string, string> = { limit: '3' }
    let last: { next_page: string | null; prev_page: string | null } = { next_page: null, prev_page: null }
    for (;;) {
      const { body } = await listActors(world, world.resource.id, query)
      pages.push(idsOf(body.data))
      last = body.metadata
      if (!last.next_page) break
      query = { limit: '3', page_cursor: last.next_page }
    }
    expect(pages.flat()).toEqual(whole)
    const back = await listActors(world, world.resource.id, { limit: '3', page_cursor: String(last.prev_page) })
    expect(idsOf(back.body.data)).toEqual(pages.at(-2))
    const other = await world.addResource()
    const foreign = await listActors(world, other.id, { page_cursor: String(last.prev_page) })
    expect(foreign.body.code).toBe('invalid_page_cursor')
  })

  it('returns a previous cursor from an empty page', async () => {
    const world = await newAccessWorld()
    const last = await addMember(world)
    const page = async (cursor?: string) => {
      const query = { limit: '1', ...(cursor && { page_cursor: cursor }) }
      const { data, metadata } = (await listActors(world, world.resource.id, query)).body
      return { ids: idsOf(data), next: metadata.next_page, prev: metadata.prev_page }
    }
    const first = await page()
    await updateRow(world.account.id, actors, last, { is_disabled: true })
    const empty = await page(first.next)
    expect(empty).toEqual({ ids: [], next: null, prev: expect.any(String) })
    expect((await page(empty.prev)).ids).toEqual([world.actor.id])
    await actorsApi.update(world.account, world.actor.id, { is_disabled: true })
    expect(await page(empty.prev)).toEqual({ ids: [], next: null, prev: null })
  })

  it('costs the same for a page of a large group as for a small one', async () => {
    const world = await newAccessWorld()
    for (let i = 0; i < 60; i++) await addMember(world)
    const small = await measure(() => listActors(world, world.resource.id))
    await plantRows(world.account.id, memberships, 2_000, () => ({
      group_id: world.group.id,
      actor_id: `f${randomUUID().slice(1)}`,
    }))
    const large = await measure(() => listActors(world, world.resource.id))
    expect(large.reads).toBeLessThanOrEqual(1.1 * small.reads)
  })

  it('reads no members without a satisfiable policy, and large pages of them if few are listed', async () => {
    const closed = await newAccessWorld([unmetCondition])
    const open = await newAccessWorld()
    const few = await measure(() => listActors(closed, closed.resource.id))
    for (const world of [closed, open]) {
      await plantRows(world.account.id, memberships, 1_000, () => ({
        group_id: world.group.id,
        actor_id: randomUUID(),
      }))
    }
    const many = await measure(() => listActors(closed, closed.resource.id))
    expect(many.reads).toBeLessThan(few.reads + 3)
    const page = await measure(async () => {
      const { body } = await listActors(open, open.resource.id, { limit: '1' })
      expect(idsOf(body.data)).toEqual([open.actor.id])
    })
    expect(page.trips).toBeLessThan(40)
  })
})
