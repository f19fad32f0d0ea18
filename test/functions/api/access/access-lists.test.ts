import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { handler as evaluate } from '#functions/api/access/evaluate-access.ts'
import { handler as listActors } from '#functions/api/access/list-actors-with-access.ts'
import { handler as listResources } from '#functions/api/access/list-reachable-resources.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { type ActorRow, actors } from '#shared/actors/actor.ts'
import { memberships } from '#shared/memberships/membership.ts'
import { getRow } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access.ts'
import { measure } from '#test/support/consumed-capacity.ts'
import { plantRows } from '#test/support/plant-rows.ts'
import { insertActor, insertRow, updateRow } from '#test/support/rows.ts'

type World = Awaited<ReturnType<typeof newAccessWorld>>
type Row = { id: string; policies: { id: string }[] }

const list = (world: World, handler: typeof listActors, id: string, query: Record<string, string> = {}) =>
  world.account.call(handler, { params: { id }, path: `/access/${id}`, query })
const idsOf = (rows: Row[]) => rows.map(({ id }) => id)
const actorsOf = async (world: World, id = world.resource.id): Promise<Row[]> =>
  (await list(world, listActors, id)).body.data
const resourcesOf = async (world: World, id = world.actor.id): Promise<Row[]> =>
  (await list(world, listResources, id)).body.data

const member = async (world: World, fields = {}) => {
  const actor = await insertActor(world.account.id, fields)
  await insertRow(world.account.id, memberships, { group_id: world.group.id, actor_id: actor.id })
  return actor
}
const rowOf = async (world: World) => (await getRow(actors, world.account.id, world.actor.id)) as ActorRow
const provided = { property: 'auth_provider_id', operator: 'is_in', values: [randomUUID()] }
const office = { property: 'remote_ip', operator: 'is_in_cidr', values: ['203.0.113.0/24'] }
const never = { property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values: ['M//UTC'] }

describe('GET /access/resources/{id}/actors', () => {
  it('lists who can reach a resource, with the policies that grant it and their conditions', async () => {
    const world = await newAccessWorld([office])
    const { body } = await list(world, listActors, world.resource.id)
    const grant = { id: world.policy.id, group_id: world.group.id, conditions: [office], expires_at: null }
    expect(body).toEqual({
      data: [{ id: world.actor.id, name: 'Robot', type: 'service_account', policies: [grant] }],
      metadata: { limit: 50, next_page: null, prev_page: null },
    })
  })

  it('leaves out who is disabled, has no client ever, or no policy that can hold now', async () => {
    const world = await newAccessWorld()
    const gone = await member(world)
    await updateRow(world.account.id, actors, gone, { is_disabled: true })
    await member(world, { type: 'api_client' })
    expect(idsOf(await actorsOf(world))).toEqual([world.actor.id])
    const closed = await newAccessWorld([never])
    expect(await actorsOf(closed)).toEqual([])
    expect(await resourcesOf(closed)).toEqual([])
  })

  it('lists people for a provider condition, and no service account', async () => {
    const world = await newAccessWorld([provided])
    const grace = await member(world, { type: 'account_user', email: 'grace@example.com' })
    expect(idsOf(await actorsOf(world))).toEqual([grace.id])
    expect(idsOf(await resourcesOf(world, grace.id))).toEqual([world.resource.id])
    expect(await resourcesOf(world)).toEqual([])
  })

  it('knows the managed group', async () => {
    const world = await newAccessWorld()
    const [everyone] = (await world.account.call(listGroups, { query: { name: 'Everyone' } })).body.data
    const shared = await world.addResource()
    await world.addPolicy({ resource_id: shared.id, group_id: everyone.id })
    expect(idsOf(await actorsOf(world, shared.id))).toEqual([world.account.admin.id])
    expect(idsOf(await resourcesOf(world, world.account.admin.id))).toEqual([shared.id])
  })

  it('pages forward and back in the order of the actors, each once', async () => {
    const world = await newAccessWorld()
    for (let i = 0; i < 8; i++) await member(world, { is_disabled: i % 3 === 2 })
    const whole = idsOf(await actorsOf(world))
    expect(whole).toEqual([...whole].sort())
    expect(whole).toHaveLength(7)
    const pages: string[][] = []
    let query: Record<string, string> = { limit: '3' }
    let last: { next_page: string | null; prev_page: string | null } = { next_page: null, prev_page: null }
    for (;;) {
      const { body } = await list(world, listActors, world.resource.id, query)
      pages.push(idsOf(body.data))
      last = body.metadata
      if (!last.next_page) break
      query = { limit: '3', page_cursor: last.next_page }
    }
    expect(pages.flat()).toEqual(whole)
    const back = await list(world, listActors, world.resource.id, { limit: '3', page_cursor: String(last.prev_page) })
    expect(idsOf(back.body.data)).toEqual(pages.at(-2))
    const other = await world.addResource()
    const foreign = await list(world, listActors, other.id, { page_cursor: String(last.prev_page) })
    expect(foreign.body.code).toBe('invalid_page_cursor')
  })

  it('leads back from a page that came out empty', async () => {
    const world = await newAccessWorld()
    const last = await member(world)
    const page = async (cursor?: string) => {
      const query = { limit: '1', ...(cursor && { page_cursor: cursor }) }
      const { data, metadata } = (await list(world, listActors, world.resource.id, query)).body
      return { ids: idsOf(data), next: metadata.next_page, prev: metadata.prev_page }
    }
    const first = await page()
    await updateRow(world.account.id, actors, last, { is_disabled: true })
    const empty = await page(first.next)
    expect(empty).toEqual({ ids: [], next: null, prev: expect.any(String) })
    expect((await page(empty.prev)).ids).toEqual([world.actor.id])
    await updateRow(world.account.id, actors, await rowOf(world), { is_disabled: true })
    expect(await page(empty.prev)).toEqual({ ids: [], next: null, prev: null })
  })

  it('costs the same for a page of a large group as of a small one', async () => {
    const world = await newAccessWorld()
    for (let i = 0; i < 60; i++) await member(world)
    const small = await measure(() => list(world, listActors, world.resource.id))
    await plantRows(world.account.id, memberships, 2_000, () => ({
      group_id: world.group.id,
      actor_id: `f${randomUUID().slice(1)}`,
    }))
    const large = await measure(() => list(world, listActors, world.resource.id))
    expect(large.reads).toBeLessThanOrEqual(1.1 * small.reads)
  })
})

describe('both lists agree with the decision', () => {
  it('over random policies: whoever is listed is allowed in some place, whoever is not is allowed in none', async () => {
    const world = await newAccessWorld()
    const conditionSets = [[], [office], [never], [provided], [office, never], [office, provided]]
    const resources = [world.resource]
    for (const conditions of conditionSets) {
      const resource = await world.addResource()
      await world.addPolicy({ resource_id: resource.id, conditions, is_disabled: false })
      resources.push(resource)
    }
    const people = [world.actor, await member(world, { type: 'account_user', email: 'alan@example.com' })]
    for (const actor of people) {
      const reachable = new Set(idsOf(await resourcesOf(world, actor.id)))
      for (const resource of resources) {
        const place = {
          ip: '203.0.113.1',
          // A service account's token has no provider.
          auth_provider_id: actor.type === 'account_user' ? provided.values[0] : null,
        }
        const body = { actor_id: actor.id, resource_id: resource.id, ...place }
        const { data } = (await world.account.call(evaluate, { method: 'POST', body })).body
        expect(reachable.has(resource.id)).toBe(data.decision === 'allow')
        expect(idsOf(await actorsOf(world, resource.id)).includes(actor.id)).toBe(data.decision === 'allow')
      }
    }
  })
})
