import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as listIdentities } from '#functions/api/external-identities/list-external-identities.ts'
import { handler as editMemberships } from '#functions/api/memberships/edit-memberships.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { mintProviderToken, newIssuer } from '#test/support/accounts/identities.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { newSyncWorld, normalize } from '#test/support/sync/sync-runs.ts'

// Covers sync problems that users of similar services have reported (docs/contract/identity-wire.md).

afterEach(() => {
  vi.restoreAllMocks()
})

const people = (count: number, fields: (i: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com`, ...fields(i) }))
const ids = (count: number) => people(count).map(({ id }) => id)

it('complaint 2, #8771: reads a directory that takes longer than a step in several steps', async () => {
  const [world, whole] = [await newSyncWorld(), await newSyncWorld()]
  for (const { company } of [world, whole]) {
    company.users = people(6)
    company.groups = ['a', 'b'].map((id) => ({ id, members: ids(6) }))
  }
  await whole.run()
  await world.begin()
  // Gives each step no time, so that the run needs many steps.
  for (let steps = 0; (await world.last()).finished_at === null; steps++) {
    if (steps > 60) throw new Error('It never ends.')
    await world.step(0)
  }
  expect(await world.last()).toMatchObject({ outcome: 'applied', error: null })
  expect(normalize(await world.state())).toEqual(normalize(await whole.state()))
})

it('NetBird docs#925: inserts nobody twice if all ids change', async () => {
  const world = await newSyncWorld()
  world.company.users = people(12)
  world.company.groups = [{ id: 'g', members: ids(12) }]
  await world.run()
  const before = await world.state()
  world.company.users = people(12, (i) => ({ id: `object-${i}` }))
  world.company.groups = [{ id: 'g', members: world.company.users.map(({ id }) => id) }]
  const run = await world.run()
  expect(run).toMatchObject({ outcome: 'applied', applied: { users: { insert: 0, update: 12, delete: 0 } } })
  const after = await world.state()
  expect(after.actors).toEqual(before.actors)
  expect(after.memberships).toEqual(before.memberships)
  expect(after.identities.map(({ id, actor_id }) => [id, actor_id])).toEqual(
    before.identities.map(({ id, actor_id }) => [id, actor_id]),
  )
})

it('NetBird #4528, #4223: deletes only the person who was deleted at the provider', async () => {
  const world = await newSyncWorld()
  world.company.users = people(5)
  world.company.groups = [{ id: 'g', members: ids(5) }]
  await world.run()
  // Removes a person from the list of people, but not from the members of the group.
  world.company.users = people(5).slice(1)
  const run = await world.run()
  expect(run).toMatchObject({ outcome: 'applied', error: null, skipped: { foreign_member: 1 } })
  const { identities, memberships } = await world.state()
  expect(identities.map(({ idp_id }) => idp_id).sort()).toEqual(ids(5).slice(1))
  expect(memberships).toHaveLength(4)
  const { body } = await world.account.call(listActors)
  const actors: { id: string; email: string }[] = body.data
  expect(actors.map(({ email }) => email)).toEqual(expect.arrayContaining(['u1@example.com', 'u4@example.com']))
  expect(actors.map(({ email }) => email)).not.toContain('u0@example.com')
  const actor_id = actors.find(({ email }) => email === 'u1@example.com')?.id ?? ''
  const listed = await world.account.call(listIdentities, { params: { actor_id } })
  expect(listed.body.data).toMatchObject([{ idp_id: 'u1', directory_id: world.id }])
})

it('Tailscale #8452: lets an administrator delete an invited person while a directory is synced', async () => {
  const world = await newSyncWorld()
  const invited = await insertActor(world.account.id, {
    type: 'account_user',
    name: 'Guest',
    email: 'g@elsewhere.example',
  })
  world.company.users = people(2)
  await world.run()
  const answer = await world.account.call(deleteActor, { method: 'DELETE', params: { id: invited.id } })
  expect(answer.status).toBe(200)
  expect(await world.run()).toMatchObject({ outcome: 'applied', sections: { users: 0, actors: 0 } })
  expect((await world.state()).actors.some(({ id }) => id === invited.id)).toBe(false)
})

describe('access by groups of a directory', () => {
  /**
   * Creates three people in two groups. `grant` gives a group access to the resource, and `ask` requests this access for the first person.
   */
  async function granted() {
    const access = await newAccessWorld()
    const { account } = access
    const world = await newSyncWorld('idp', account)
    world.company.issuer = newIssuer()
    world.company.users = people(3)
    world.company.groups = ['a', 'b'].map((id) => ({ id, members: ids(3) }))
    await world.run()
    await access.addGateway()
    const { groups, actors } = await world.state()
    const groupOf = (idpId: string) => groups.find(({ idp_id }) => idp_id === idpId)
    const actor = actors.find(({ email }) => email === 'u0@example.com')
    if (!actor) throw new Error('Nobody was made.')
    const { token } = await mintProviderToken(account, actor.id, world.company.issuer)
    await access.startSession({}, { token })
    const resource = await access.addResource({ name: 'Shop', address: 'shop.example.com' })
    const grant = (idpId: string) => access.addPolicy({ group_id: groupOf(idpId)?.id, resource_id: resource.id })
    const ask = async () => (await access.ask({ resource_id: resource.id }, { token })).status
    const given = () => authorizationsOf(account.id, { by: 'resource', id: resource.id })
    return { world, actor, groupOf, grant, ask, given }
  }

  it('Boundary #1823, #2082, #2782: a group of the directory gives access only by a policy', async () => {
    const { grant, ask, given } = await granted()
    expect([await ask(), (await given()).length]).toEqual([404, 0])
    await grant('a')
    expect([await ask(), (await given()).length]).toEqual([201, 1])
  })

  it('Tailscale #11687: a person who leaves one group keeps the access of another', async () => {
    const { world, actor, grant, ask } = await granted()
    await grant('a')
    await grant('b')
    expect(await ask()).toBe(201)
    world.company.groups = [
      { id: 'a', members: ['u1', 'u2'] },
      { id: 'b', members: ids(3) },
    ]
    expect((await world.run()).applied.memberships).toEqual({ insert: 0, update: 0, delete: 1 })
    expect(await ask()).toBe(201)
    expect((await world.state()).actors.find(({ id }) => id === actor.id)).toEqual(actor)
  })

  it('NetBird #2322, Teleport #66215, #47837, #47846: a person who leaves the last group loses its access, even with a valid token', async () => {
    const { world, groupOf, grant, ask, given } = await granted()
    await grant('a')
    expect([await ask(), (await given()).length]).toEqual([201, 1])
    world.company.groups = ['a', 'b'].map((id) => ({ id, members: ['u1', 'u2'] }))
    await world.run()
    expect((await world.state()).memberships.filter((name) => name.includes('u0@'))).toEqual([])
    expect([(await given()).length, await ask()]).toEqual([0, 404])
    // Expects that administrators cannot edit the members of a synced group.
    const edit = { memberships: { add: [], remove: [] } }
    const answer = await world.account.call(editMemberships, {
      method: 'PATCH',
      params: { group_id: groupOf('a')?.id ?? '' },
      body: edit,
    })
    expect(answer.body).toMatchObject({ code: 'synced_group' })
  })

  it('Tailscale #2861: a deactivated person keeps no token, session or access', async () => {
    const { world, grant, ask, given } = await granted()
    await grant('a')
    expect([await ask(), (await given()).length]).toEqual([201, 1])
    world.company.users = people(3, (i) => ({ active: i !== 0 }))
    expect((await world.run()).applied.users).toEqual({ insert: 0, update: 0, delete: 1 })
    const { identities, memberships } = await world.state()
    expect(identities.map(({ idp_id }) => idp_id).sort()).toEqual(['u1', 'u2'])
    expect(memberships.filter((name) => /^[ab] /.test(name))).toHaveLength(4)
    expect([(await given()).length, await ask()]).toEqual([0, 401])
  })
})
