import { afterEach, expect, it, vi } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { clientTokens, mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { emptyProfile } from '#shared/sign-in/identities/profile-fields.ts'
import { applyUsers } from '#shared/sync/directories/apply-users.ts'
import { rowsBy } from '#shared/table/read.ts'
import { insertIdentity, mintProviderToken, newIssuer } from '#test/support/accounts/identities.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { runsApi } from '#test/support/sync/directories.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const others = Array.from({ length: 4 }, (_, i) => ({ id: `o${i}`, email: `other${i}@example.com` }))
const email = 'grace@example.com'

async function newWorld() {
  const world = await newSyncWorld()
  world.company.issuer = newIssuer()
  world.company.users = [...others, { id: 'u1', email }]
  return world
}

const identitiesOf = async (world: SyncWorld, actorId: string) =>
  (await world.state()).identities.filter(({ actor_id }) => actor_id === actorId)

const tokensOf = (world: SyncWorld, actorId: string) => rowsBy(clientTokens, world.account.id, 'actor_id', actorId)

const replace = ({ company }: SyncWorld) => {
  company.users = [...others, { id: 'u2', email }]
}

it('deletes the tokens of a subject whose email another subject gets', async () => {
  const world = await newWorld()
  await world.run()
  const actorId = (await world.state()).identities.find(({ idp_id }) => idp_id === 'u1')?.actor_id ?? ''
  await mintProviderToken(world.account, actorId, world.company.issuer)
  expect(await tokensOf(world, actorId)).toHaveLength(1)
  replace(world)
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { update: 1 } } })
  expect(await identitiesOf(world, actorId)).toMatchObject([{ idp_id: 'u2' }])
  expect(await tokensOf(world, actorId)).toEqual([])
})

it('keeps the tokens of a person whose profile changes', async () => {
  const world = await newWorld()
  await world.run()
  const actorId = (await world.state()).identities.find(({ idp_id }) => idp_id === 'u1')?.actor_id ?? ''
  await mintProviderToken(world.account, actorId, world.company.issuer)
  world.company.users = [...others, { id: 'u1', email, name: 'Grace' }]
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { update: 1 } } })
  expect(await tokensOf(world, actorId)).toHaveLength(1)
})

it.each([
  ['is gone', () => []],
  ['is not active', () => [{ id: 'u1', email: null, active: false }]],
])('never gives the identity of an administrator whose subject %s to another subject', async (_, old) => {
  const world = await newWorld()
  const admin = await insertActor(world.account.id, { type: 'account_admin_user', name: 'Grace', email })
  await world.run()
  expect(await identitiesOf(world, admin.id)).toMatchObject([{ idp_id: 'u1' }])
  await mintProviderToken(world.account, admin.id, world.company.issuer)
  replace(world)
  world.company.users.push(...old())
  const preview = await world.run(true)
  expect(preview).toMatchObject({ outcome: 'previewed', skipped: { admin_has_identity: 1 } })
  const changes = await runsApi.idp.changes(world.account, world.id, preview.id)
  expect(changes.body.data).toMatchObject([
    { change: 'delete', object: 'tokens', name: 'Grace', before: { actor_id: admin.id, idp_id: 'u1' } },
  ])
  expect(await tokensOf(world, admin.id)).toHaveLength(1)
  for (let i = 0; i < 2; i++) {
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', skipped: { admin_has_identity: 1 } })
    expect(run.skipped_sample).toMatchObject([{ idp_id: 'u2', reason: 'admin_has_identity' }])
    expect(await identitiesOf(world, admin.id)).toMatchObject([{ idp_id: 'u1' }])
    expect(await tokensOf(world, admin.id)).toEqual([])
  }
})

it('does not change the identity of a person promoted to administrator after the plan was made', async () => {
  const world = await newWorld()
  const { account, company } = world
  const actor = await insertActor(account.id, { type: 'account_admin_user', name: 'Grace', email })
  const { issuer } = company
  const identity = await insertIdentity(account.id, actor.id, { issuer, idp_id: 'u0' })
  const profile = { ...emptyProfile, email }
  const entry = { idp_id: 'u2', profile, over: identity.id, actor: actor.id, was: null }
  const staged = await commit({ accountId: account.id, subject: null }, (transaction) =>
    applyUsers(
      { transaction, sourceId: world.id, issuer, provider: 'idp', startedAt: '2099', matchesAdministrators: true },
      [entry],
    ),
  )
  expect(staged).toMatchObject({ handled: 1, changes: [], skipped: [{ idp_id: 'u2', reason: 'admin_has_identity' }] })
  expect(await identitiesOf(world, actor.id)).toMatchObject([{ idp_id: 'u0' }])
})

it('moves an identity with many tokens to another subject in several commits', async () => {
  const world = await newWorld()
  await world.run()
  const actorId = (await world.state()).identities.find(({ idp_id }) => idp_id === 'u1')?.actor_id ?? ''
  const { id: token } = await mintProviderToken(world.account, actorId, world.company.issuer)
  const { auth_provider_id } = (await tokensOf(world, actorId)).find(({ id }) => id === token) ?? {}
  for (let i = 0; i < 30; i++) {
    await commit({ accountId: world.account.id, subject: null }, (transaction) =>
      mintClientToken(transaction, actorId, {
        expires_at: '2099-01-01T00:00:00Z',
        auth_provider_id: auth_provider_id ?? null,
      }),
    )
  }
  replace(world)
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { update: 1 } } })
  expect(await identitiesOf(world, actorId)).toMatchObject([{ idp_id: 'u2' }])
  expect(await tokensOf(world, actorId)).toEqual([])
})
