import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as deleteIdentity } from '#functions/api/external-identities/delete-external-identity.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { signInAs } from '#test/support/sync/sign-in-as.ts'
import { newSyncWorld, normalize, type SyncWorld } from '#test/support/sync/sync-runs.ts'
import { beforeRequest } from '#test/support/table/table-faults.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const user = (i: number, name = `Name ${i}`) => ({ id: `u${i}`, email: `u${i}@example.com`, name })
const numbers = Array.from({ length: 8 }, (_, i) => i)

/** Possible changes to a person at the provider before the second run. */
const fates = ['stays', 'renamed', 'leaves', 'inactive', 'again', 'new'] as const
const actions = [
  'nothing',
  'delete',
  'rename',
  'disable',
  'promote',
  'email',
  'unlink',
  'sign in',
  'group',
  'native',
] as const
type Fate = (typeof fates)[number]
type Action = (typeof actions)[number]
type Case = { fates: Fate[]; members: number[]; action: Action; whom: number; at: number }

function show({ company }: SyncWorld, fates: Fate[], members: number[], second: boolean): void {
  const present = numbers.filter((i) => (second ? fates[i] !== 'leaves' : fates[i] !== 'new'))
  company.perPage = 50
  const nameOf = (i: number) => (second && fates[i] === 'again' ? `u${i}-again` : `u${i}`)
  company.users = present.map((i) => ({
    ...user(i, second && fates[i] === 'renamed' ? 'Renamed' : undefined),
    id: nameOf(i),
    active: !(second && fates[i] === 'inactive'),
  }))
  company.groups = [
    { id: 'all', members: present.map(nameOf) },
    { id: 'some', members: present.filter((i) => !second || members.includes(i)).map(nameOf) },
  ]
}

async function act(world: SyncWorld, action: Action, whom: number): Promise<void> {
  const { account } = world
  const { actors, identities, groups } = await world.state()
  const actor = actors.find(({ email }) => email === user(whom).email)
  const params = { id: actor?.id ?? '' }
  const change = (fields: object) =>
    actor && account.call(updateActor, { method: 'PATCH', params, body: { actor: fields } })
  const identity = identities.find(({ actor_id }) => actor_id === actor?.id)
  if (action === 'delete') await (actor && account.call(deleteActor, { method: 'DELETE', params }))
  if (action === 'rename') await change({ name: 'By hand' })
  if (action === 'disable') await change({ is_disabled: true })
  if (action === 'promote') await change({ type: 'account_admin_user' })
  if (action === 'email') await change({ email: `moved-${whom}@example.com` })
  if (action === 'unlink' && actor && identity) {
    await account.call(deleteIdentity, { method: 'DELETE', params: { actor_id: actor.id, id: identity.id } })
  }
  if (action === 'group') {
    const group = groups.find(({ idp_id }) => idp_id === 'some')
    await (group && account.call(deleteGroup, { method: 'DELETE', params: { id: group.id } }))
  }
  if (action === 'native' && !actor) {
    await insertActor(account.id, { type: 'account_user', name: 'Native', email: user(whom).email })
  }
  if (action === 'sign in') await signInAs(world, `u${whom}`)
}

/** Executes a run that accepts deletions, so that the deletion brake does not stop it. */
async function runAll(world: SyncWorld) {
  await updateRow(world.account.id, directories.idp, await world.row(), { accept_deletions: true })
  return world.run()
}

async function loaded({ fates, members }: Case): Promise<SyncWorld> {
  const world = await newSyncWorld()
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
  show(world, fates, members, false)
  expect(await world.run()).toMatchObject({ outcome: 'applied' })
  show(world, fates, members, true)
  return world
}

const cases = fc.record({
  fates: fc
    .array(fc.constantFrom(...fates), { minLength: 8, maxLength: 8 })
    .map((list) => ['stays', ...list.slice(1)] as Fate[]),
  members: fc.uniqueArray(fc.nat(7), { maxLength: 8 }).map((list) => [0, ...list]),
  action: fc.constantFrom(...actions),
  whom: fc.nat(7),
  at: fc.nat(120),
})

it('complaint 6, #13840: an action at any moment of a run has the result of one before or after the run', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const world = await loaded(given)
      const before = await world.state()
      const natives = before.actors.filter(({ created_by_directory_id }) => created_by_directory_id === null)
      await updateRow(world.account.id, directories.idp, await world.row(), { accept_deletions: true })
      await world.begin()
      world.connect()
      const other = beforeRequest(given.at, () => act(world, given.action, given.whom))
      await workOnRun(world.syncSource, world.source as never, Date.now() + 600_000)
      vi.restoreAllMocks()
      vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
      if (!other.happened) await act(world, given.action, given.whom)
      expect(await world.last()).toMatchObject({ outcome: 'applied', error: null })
      const after = await world.state()
      // Expects that the run deletes no person in the snapshot, changes no native row, and keeps an enabled administrator.
      const emails = new Set(after.actors.map(({ email }) => email))
      for (const { email, active } of world.company.users) {
        const isTouched = email === user(given.whom).email && given.action !== 'nothing'
        if (active && !isTouched) expect(emails).toContain(email)
      }
      for (const native of natives) expect(after.actors).toContainEqual(native)
      expect(after.groups.filter(({ idp_id }) => idp_id === null)).toEqual(
        before.groups.filter(({ idp_id }) => idp_id === null),
      )
      expect(after.actors.some(({ type, is_disabled }) => type === 'account_admin_user' && !is_disabled)).toBe(true)

      // Runs again, and expects the result of one of two orders: the action before the run, or the run before the action.
      expect(await runAll(world)).toMatchObject({ outcome: 'applied' })
      const settled = normalize(await world.state())
      const orders = await Promise.all([
        (async () => {
          const first = await loaded(given)
          await act(first, given.action, given.whom)
          await runAll(first)
          await runAll(first)
          return normalize(await first.state())
        })(),
      ])
      const second = await loaded(given)
      await runAll(second)
      await act(second, given.action, given.whom)
      await runAll(second)
      expect([...orders, normalize(await second.state())]).toContainEqual(settled)
    }),
    { numRuns: Number(process.env.SYNC_PROPERTY_RUNS ?? 8), endOnFailure: true },
  )
}, 600_000)
