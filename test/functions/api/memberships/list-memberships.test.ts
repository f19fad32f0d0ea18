import { describe, expect, it } from 'vitest'
import { person, robot } from '#test/support/accounts/actors.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { entries, newMembershipWorld } from '#test/support/accounts/memberships.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

const world = await newMembershipWorld()
const { a, b, c } = world

describe('GET /groups/{group_id}/memberships (A15)', () => {
  it('lists id, name and type ordered by actor, in pages', async () => {
    const group = await world.newGroup()
    await world.put(group, entries(c, b, a))
    const first = await world.list(group, { limit: '2' })
    expect(first.body.data).toEqual([
      { id: a, actor_id: a, name: 'Ann', type: 'account_user' },
      { id: b, actor_id: b, name: 'Robot', type: 'service_account' },
    ])
    expect(first.body.metadata).toMatchObject({ total: 3, count: 3, limit: 2, prev_page: null })
    const second = await world.list(group, { limit: '2', page_cursor: first.body.metadata.next_page })
    expect(second.body.data).toEqual([{ id: c, actor_id: c, name: 'Pipeline', type: 'api_client' }])
    expect(second.body.metadata.next_page).toBeNull()
  })

  it('computes the members of the managed group: every person, no service account', async () => {
    const members = (await world.list(world.everyone)).body.data
    expect(members).toEqual([
      { id: world.account.admin.id, actor_id: world.account.admin.id, name: 'Ada', type: 'account_admin_user' },
      { id: a, actor_id: a, name: 'Ann', type: 'account_user' },
    ])
  })

  it('lists entries in the form that a replacement accepts', async () => {
    const group = await world.newGroup()
    await world.put(group, entries(c, a))
    const before = (await world.list(group)).body.data
    const answer = await world.put(group, before)
    expect([answer.status, answer.body.data.actor_ids]).toEqual([200, [a, c].toSorted()])
    expect((await world.list(group)).body.data).toEqual(before)
  })

  it('returns 404 for an unknown group', async () => {
    expect((await world.list(unknownId)).status).toBe(404)
  })

  it('includes disabled and later people in the managed group', async () => {
    const ownWorld = await newMembershipWorld()
    await actorsApi.update(ownWorld.account, ownWorld.a, { is_disabled: true })
    const later = (await actorsApi.create(ownWorld.account, person())).body.data
    await actorsApi.create(ownWorld.account, robot)
    const ids = (await ownWorld.list(ownWorld.everyone)).body.data.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([ownWorld.account.admin.id, ownWorld.a, later.id])
    await actorsApi.remove(ownWorld.account, ownWorld.a)
    expect((await ownWorld.list(ownWorld.everyone)).body.metadata.total).toBe(2)
  })
})
