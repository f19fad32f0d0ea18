import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { insertIdentity, newIssuer } from '#test/support/accounts/identities.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { directoriesApi, runsApi } from '#test/support/sync/directories.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

// Tests that a directory cannot change the identities of administrators unless it is allowed to match administrators (A26.2(5)).

afterEach(() => {
  vi.restoreAllMocks()
})

const email = 'grace@example.com'
const admin = { type: 'account_admin_user' as const, name: 'Grace', email }
const auditor = { ...admin, type: 'account_user' as const, portal_scopes: ['*:read' as const] }
const others = Array.from({ length: 4 }, (_, i) => ({ id: `o${i}`, email: `other${i}@example.com` }))
const grace = { id: 'u1', email }

/** Creates a directory with a token of these scopes. `owner` has the scope `*`. */
async function newWorld(...scopes: string[]) {
  const owner = await newAccount()
  const world = await newSyncWorld('idp', await withScopes(owner, ...scopes))
  world.company.issuer = newIssuer()
  world.company.users = [...others, grace]
  world.company.groups = [{ id: 'all', members: [...others, grace].map(({ id }) => id) }]
  const identitiesOf = async (id: string) => (await world.state()).identities.filter(({ actor_id }) => actor_id === id)
  return { ...world, owner, identitiesOf }
}
const skipped = { admin_not_matched: 1 }

describe.each([
  ['administrators', admin],
  ['read-only people (K11.G14)', auditor],
])('a directory that does not match %s', (_who, protectedPerson) => {
  it('does not link them by email, reports that in preview and run, and matches all others', async () => {
    const world = await newWorld('directories:write')
    const { id } = await insertActor(world.account.id, protectedPerson)
    for (const preview of [true, false]) {
      const run = await world.run(preview)
      expect(run).toMatchObject({
        outcome: preview ? 'previewed' : 'applied',
        planned: { users: { insert: 4 } },
        skipped,
      })
      expect(run.skipped_sample).toMatchObject([{ idp_id: 'u1', reason: 'admin_not_matched' }])
    }
    expect(await world.identitiesOf(id)).toEqual([])
    const { memberships, identities } = await world.state()
    expect([identities.length, memberships.includes(`all ${email}`)]).toEqual([4, false])
  })

  it.each([true, false])(
    'neither takes over nor deletes an identity linked by a sign-in; active: %s',
    async (active) => {
      const world = await newWorld('directories:write')
      const { id } = await insertActor(world.account.id, protectedPerson)
      const { issuer } = world.company
      const linked = await insertIdentity(world.account.id, id, { issuer, idp_id: 'u1', name: 'Grace' })
      world.company.users = [...others, { ...grace, active, name: 'Another name' }]
      expect(await world.run()).toMatchObject({ outcome: 'applied', skipped })
      expect(await world.identitiesOf(id)).toEqual([linked])
    },
  )

  it('does not move their identities to another subject', async () => {
    const world = await newWorld('directories:write')
    const { id } = await insertActor(world.account.id, protectedPerson)
    const linked = await insertIdentity(world.account.id, id, { issuer: world.company.issuer, idp_id: 'u0' })
    expect(await world.run()).toMatchObject({ outcome: 'applied', skipped })
    expect(await world.identitiesOf(id)).toEqual([linked])
  })

  it('does not link a person who became one of them after the plan was made', async () => {
    const world = await newWorld('directories:write')
    const actor = await insertActor(world.account.id, { ...admin, type: 'account_user' })
    vi.spyOn(Pace.prototype, 'wait').mockImplementationOnce(async () => {
      await updateRow(world.account.id, actors, actor, protectedPerson)
    })
    expect(await world.run()).toMatchObject({ outcome: 'applied', planned: { users: { insert: 5 } }, skipped })
    expect(await world.identitiesOf(actor.id)).toEqual([])
  })
})

it('cancels a run when the setting is changed during it', async () => {
  const world = await newWorld('*')
  const { id } = await insertActor(world.account.id, admin)
  vi.spyOn(Pace.prototype, 'wait').mockImplementationOnce(async () => {
    await directoriesApi.idp.update(world.owner, world.id, { matches_administrators: false })
  })
  expect(await world.run()).toMatchObject({ outcome: 'cancelled' })
  expect(await world.identitiesOf(id)).toEqual([])
})

it('matches administrators if a token with the scope * has enabled that', async () => {
  const world = await newWorld('*')
  const { id } = await insertActor(world.account.id, admin)
  expect(await world.run()).toMatchObject({ outcome: 'applied', skipped: {} })
  expect(await world.identitiesOf(id)).toMatchObject([{ idp_id: 'u1', directory_id: world.id }])
})

it.each([
  ['has the email', 'u1', true],
  ['has another email', 'o0', false],
])(
  'lets an identity open the portal only if its person %s of the administrator: %s, %s',
  async (_, idp_id, opens_portal) => {
    const world = await newWorld('*')
    const { id } = await insertActor(world.account.id, admin)
    const { issuer } = world.company
    await insertIdentity(world.account.id, id, { issuer, idp_id, opens_portal: false })
    expect(await world.run()).toMatchObject({ outcome: 'applied' })
    expect(await world.identitiesOf(id)).toMatchObject([{ idp_id, directory_id: world.id, opens_portal }])
  },
)

describe('a rewind by a token without the scope * (I4.1(6))', () => {
  /** Executes a run that deletes Grace, who was created by the directory if `made` is true. */
  async function withoutGrace(as: Partial<ActorRow>, made = true) {
    const world = await newWorld('*')
    if (!made) await insertActor(world.account.id, { ...admin, type: 'account_user' })
    await world.run()
    const before = await world.state()
    const actor = before.actors.find((one) => one.email === email)
    if (!actor) throw new Error('She is not there.')
    await updateRow(world.account.id, actors, actor, as)
    world.company.users = others
    world.company.groups = [{ id: 'all', members: others.map(({ id }) => id) }]
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', applied: { users: { delete: 1 } } })
    return { ...world, run, actor, narrow: await withScopes(world.owner, 'directories:write') }
  }

  it.each([
    ['an administrator', admin, true],
    ['an administrator', admin, false],
    ['a read-only person', auditor, true],
    ['a read-only person', auditor, false],
  ])(
    'is refused for %s who was deleted, or whose identity was; actor created by it: %s, %s',
    async (_who, protectedPerson, made) => {
      const world = await withoutGrace(protectedPerson, made)
      const state = await world.state()
      const answer = await runsApi.idp.rewind(world.narrow, world.id, world.run.id)
      expect([answer.status, answer.body.code]).toEqual([403, 'scope_exceeded'])
      expect(answer.body.detail).toContain('requires a token with the scope *')
      expect([await world.state(), (await world.row()).is_disabled]).toEqual([state, false])
      expect((await runsApi.idp.rewind(world.owner, world.id, world.run.id)).status).toBe(202)
      await world.step()
      expect(await world.identitiesOf(world.actor.id)).toHaveLength(1)
    },
  )

  it('restores all other people', async () => {
    const world = await withoutGrace({})
    expect((await runsApi.idp.rewind(world.narrow, world.id, world.run.id)).status).toBe(202)
    await world.step()
    expect(await world.last()).toMatchObject({ outcome: 'applied', skipped: {} })
    expect(await world.identitiesOf(world.actor.id)).toHaveLength(1)
  })

  it.each([
    ['an administrator', admin],
    ['a read-only person', auditor],
  ])('skips the identity of a person who has become %s since', async (_who, protectedPerson) => {
    const world = await withoutGrace({}, false)
    const actor = (await world.state()).actors.find(({ id }) => id === world.actor.id)
    await updateRow(world.account.id, actors, actor as never, protectedPerson)
    expect((await runsApi.idp.rewind(world.narrow, world.id, world.run.id)).status).toBe(202)
    await world.step()
    expect(await world.last()).toMatchObject({ outcome: 'applied', skipped: { scope_exceeded: 1 } })
    expect(await world.identitiesOf(world.actor.id)).toEqual([])
  })
})
