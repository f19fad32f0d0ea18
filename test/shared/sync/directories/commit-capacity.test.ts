import { expect, it } from 'vitest'
import { maxWrites, Transaction } from '#shared/commit/transaction.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { emptyProfile } from '#shared/sign-in/identities/profile-fields.ts'
import { writesPerGroup, writesPerMembership } from '#shared/sync/directories/apply-groups.ts'
import { writesPerUser } from '#shared/sync/directories/apply-users.ts'
import { readAccountVersion } from '#shared/table/account-version.ts'
import type { RowFields } from '#shared/table/entity.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

const transaction = () => new Transaction('account', { sequence: 1, clock: 1, counts: {}, leaves: 0 }, 2)
const directory_id = 'directory'

function insertPerson(into: Transaction, i: number) {
  const { id } = into.insert(actors, {
    name: `Person ${i}`,
    email: `person-${i}@example.com`,
    type: 'account_user',
    allow_email_otp_sign_in: false,
    portal_scopes: null,
    created_by_directory_id: directory_id,
    is_disabled: false,
  })
  const identity = { actor_id: id, account_id: 'account', issuer: 'https://idp.example.com', directory_id }
  return into.insert(externalIdentities, {
    ...identity,
    idp_id: `p${i}`,
    opens_portal: true,
    synced_at: null,
    ...emptyProfile,
  })
}

const group: RowFields<GroupRow> = { ...nativeGroup, name: 'One', directory_id, idp_id: 'g1' }

it('knows the maximum number of writes per change of a run', () => {
  const made = transaction()
  const identity = insertPerson(made, 1)
  expect(made.writes()).toHaveLength(writesPerUser)

  const staged = transaction()
  staged.update(externalIdentities, identity, {
    idp_id: 'p2',
    issuer: 'https://other.example.com',
    directory_id: 'new',
  })
  expect(staged.writes().length).toBeLessThanOrEqual(writesPerUser)

  const grouped = transaction()
  const row = grouped.insert(groups, group)
  expect(grouped.writes().length).toBeLessThanOrEqual(writesPerGroup)
  const renamed = transaction()
  renamed.update(groups, row, { name: 'Two', entity_type: 'org_unit' })
  expect(renamed.writes()).toHaveLength(writesPerGroup)
})

it('has capacity for the chunks of member ids, and for the counters of their groups', async () => {
  const full = transaction()
  let members = 0
  for (; full.hasCapacity(writesPerMembership); members++)
    full.insert(memberships, { group_id: `g${members}`, actor_id: unknownId })
  expect(members).toBe(32)
  await full.stageChunks()
  expect(full.writes()).toHaveLength(3 * members)

  const one = transaction()
  members = 0
  for (; one.hasCapacity(writesPerMembership); members++)
    one.insert(memberships, { group_id: 'g', actor_id: crypto.randomUUID() })
  expect(members).toBe(46)
  await one.stageChunks()
  expect(one.writes()).toHaveLength(members + 1 + 1)
})

it('counts the writes of a row once if it is staged twice', () => {
  const staged = transaction()
  const row = staged.insert(groups, group)
  const before = staged.writes()
  staged.update(groups, row, { name: 'Two' })
  expect(staged.writes()).toHaveLength(before.length)
  expect(JSON.stringify(staged.writes())).toContain('Two')
  staged.delete(groups, { ...row, name: 'Two' })
  expect(staged.writes()).toHaveLength(0)
})

it('has capacity while the next change fits besides the fixed writes of a commit', () => {
  const full = transaction()
  let people = 0
  while (full.hasCapacity(writesPerUser)) insertPerson(full, people++)
  expect(people).toBe(6)
  expect(full.writes().length + 3).toBeLessThanOrEqual(maxWrites)
  expect(full.writes().length + writesPerUser + 3).toBeGreaterThan(maxWrites)
})

it('fills its commits: two for twelve people, one for five groups, two for fifty memberships', async () => {
  const world = await newSyncWorld()
  world.company.perPage = 50
  world.company.users = Array.from({ length: 12 }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com` }))
  const everybody = world.company.users.map(({ id }) => id)
  world.company.groups = Array.from({ length: 5 }, (_, i) => ({ id: `g${i}`, members: everybody.slice(0, 10) }))
  const before = await readAccountVersion(world.account.id)
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { memberships: { insert: 50 } } })
  expect((await readAccountVersion(world.account.id)).sequence - before.sequence).toBe(2 + 1 + 2)
})
