import { describe, expect, it } from 'vitest'
import { handler as evaluate } from '#functions/api/access/evaluate-access.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import {
  actorsOf,
  addMember,
  idsOf,
  listResources,
  officeCondition,
  providerCondition,
  resourcesOf,
  unmetCondition,
} from '#test/support/access/access-lists.ts'
import { actorsApi, groupsApi } from '#test/support/accounts/collections.ts'

describe('GET /access/actors/{id}/resources', () => {
  it('lists the resources that an actor can reach, with the granting policies and their conditions', async () => {
    const world = await newAccessWorld([officeCondition])
    const { body } = await listResources(world, world.actor.id)
    const grant = { id: world.policy.id, group_id: world.group.id, conditions: [officeCondition], expires_at: null }
    const { id, name, type, address, site_id } = world.resource
    expect(body).toEqual({
      data: [{ id, name, type, address, site_id, policies: [grant] }],
      metadata: { limit: 50, next_page: null, prev_page: null },
    })
  })

  it('is empty for an actor who is disabled, in no group, or without a satisfiable policy', async () => {
    const world = await newAccessWorld()
    expect(await resourcesOf(world, world.account.admin.id)).toEqual([])
    await actorsApi.update(world.account, world.actor.id, { is_disabled: true })
    expect(await resourcesOf(world)).toEqual([])
    expect(await resourcesOf(await newAccessWorld([unmetCondition]))).toEqual([])
  })

  it('lists resources of a provider condition for people, and for no service account', async () => {
    const world = await newAccessWorld([providerCondition])
    const grace = await addMember(world, { type: 'account_user', email: 'grace@example.com' })
    expect(idsOf(await resourcesOf(world, grace.id))).toEqual([world.resource.id])
    expect(await resourcesOf(world)).toEqual([])
  })

  it('includes the managed group', async () => {
    const world = await newAccessWorld()
    const [everyone] = (await groupsApi.list(world.account, { name: 'Everyone' })).body.data
    const shared = await world.addResource()
    await world.addPolicy({ resource_id: shared.id, group_id: everyone.id })
    expect(idsOf(await resourcesOf(world, world.account.admin.id))).toEqual([shared.id])
  })

  it('pages forward and back in the order of the resources', async () => {
    const world = await newAccessWorld()
    const ids = [world.resource.id]
    for (let i = 0; i < 4; i++) {
      const { id } = await world.addResource()
      await world.addPolicy({ resource_id: id })
      ids.push(id)
    }
    const page = async (cursor?: string) =>
      (await listResources(world, world.actor.id, { limit: '2', ...(cursor && { page_cursor: cursor }) })).body
    const first = await page()
    const second = await page(first.metadata.next_page)
    const third = await page(second.metadata.next_page)
    expect([first, second, third].flatMap(({ data }) => idsOf(data))).toEqual(ids)
    expect([first.metadata.prev_page, third.metadata.next_page]).toEqual([null, null])
    expect(idsOf((await page(third.metadata.prev_page)).data)).toEqual(ids.slice(2, 4))
  })
})

describe('both lists agree with the decision', () => {
  it('over random policies: lists an actor exactly if a decision allows them at some location', async () => {
    const world = await newAccessWorld()
    const conditionSets = [
      [],
      [officeCondition],
      [unmetCondition],
      [providerCondition],
      [officeCondition, unmetCondition],
      [officeCondition, providerCondition],
    ]
    const resources = [world.resource]
    for (const conditions of conditionSets) {
      const resource = await world.addResource()
      await world.addPolicy({ resource_id: resource.id, conditions, is_disabled: false })
      resources.push(resource)
    }
    const people = [world.actor, await addMember(world, { type: 'account_user', email: 'alan@example.com' })]
    for (const actor of people) {
      const reachable = new Set(idsOf(await resourcesOf(world, actor.id)))
      for (const resource of resources) {
        const location = {
          ip: '203.0.113.1',
          // Omits the provider for a service account, whose token has none.
          auth_provider_id: actor.type === 'account_user' ? providerCondition.values[0] : null,
        }
        const body = { actor_id: actor.id, resource_id: resource.id, ...location }
        const { data } = (await world.account.call(evaluate, { method: 'POST', body })).body
        expect(reachable.has(resource.id)).toBe(data.decision === 'allow')
        expect(idsOf(await actorsOf(world, resource.id)).includes(actor.id)).toBe(data.decision === 'allow')
      }
    }
  })
})
