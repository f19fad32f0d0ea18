import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { getRow } from '#shared/table/read.ts'
import { followUpAll, readCommits } from '#test/support/logs/commit-stream.ts'
import { directoriesApi, runsApi } from '#test/support/sync/directories.ts'
import { newRewindWorld, type RewindWorld } from '#test/support/sync/rewinds.ts'
import type { SyncedState } from '#test/support/sync/sync-runs.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { beforeRequest } from '#test/support/table/table-faults.ts'

/** Table that only this file uses, because `checkRows` reads every item. */
let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeAll(async () => {
  ownTable = await useOwnTable()
})
afterAll(() => ownTable.end())
afterEach(() => {
  vi.restoreAllMocks()
})

const actions = [
  'take email',
  'move email',
  'delete actor',
  'delete group',
  'move policy',
  'delete policy',
  'enable',
] as const
type Action = (typeof actions)[number]

async function act(world: RewindWorld, action: Action, whom: number): Promise<void> {
  const { account, policy } = world
  const email = `u${whom}@example.com`
  const actor = (await world.state()).actors.find((one) => one.email === email)
  const send = (handler: Parameters<typeof account.call>[0], method: string, id: string | undefined, body?: object) =>
    id === undefined ? undefined : account.call(handler, { method, params: { id }, body })
  if (action === 'take email') {
    const fields = { name: 'By hand', type: 'account_user', email }
    await account.call(createActor, { method: 'POST', body: { actor: fields } })
  }
  if (action === 'move email')
    await send(updateActor, 'PATCH', actor?.id, { actor: { email: `other${whom}@example.com` } })
  if (action === 'delete actor') await send(deleteActor, 'DELETE', actor?.id)
  if (action === 'delete group') await send(deleteGroup, 'DELETE', (await world.groupOf('staff'))?.id)
  if (action === 'move policy') {
    const all = await world.groupOf('all')
    await send(updatePolicy, 'PATCH', policy.id, { policy: { group_id: all?.id } })
  }
  if (action === 'delete policy') await send(deletePolicy, 'DELETE', policy.id)
  if (action === 'enable') await directoriesApi.idp.update(account, world.id, { is_disabled: false })
}

/** Expects that every row that existed before the run is restored with its id, except rows that the administrator has changed. */
function expectBack(before: SyncedState, after: SyncedState, touched: Set<string>): void {
  const isTouched = (...names: (string | null | undefined)[]) => names.some((name) => name && touched.has(name))
  const emailOf = new Map(before.actors.map(({ id, email }) => [id, email]))
  for (const actor of before.actors) if (!isTouched(actor.email)) expect(after.actors).toContainEqual(actor)
  for (const group of before.groups) if (!isTouched(group.idp_id)) expect(after.groups).toContainEqual(group)
  for (const identity of before.identities)
    if (!isTouched(emailOf.get(identity.actor_id))) expect(after.identities).toContainEqual(identity)
  for (const member of before.memberships)
    if (!isTouched(...member.split(' '))) expect(after.memberships).toContain(member)
}

const cases = fc.record({ action: fc.constantFrom(...actions), whom: fc.integer({ min: 1, max: 3 }), at: fc.nat(60) })

it('keeps any change of an administrator at any moment of a rewind, and restores all else', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ action, whom, at }) => {
      vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
      const world = await newRewindWorld()
      const before = await world.state()
      const run = await world.lose()
      expect((await runsApi.idp.rewind(world.account, world.id, run.id)).status).toBe(202)
      let left: SyncedState | undefined
      const other = beforeRequest(at, async () => {
        await act(world, action, whom)
        left = await world.state()
      })
      await workOnRun(world.syncSource, world.source as never, Date.now() + 600_000)
      vi.restoreAllMocks()
      if (!other.happened) await act(world, action, whom)
      await followUpAll(world.account.id)
      const rewind = await world.last()
      expect(rewind).toMatchObject({ outcome: 'applied', rewinds: run.id })

      const after = await world.state()
      const ofPerson = ['take email', 'move email', 'delete actor'].includes(action)
      expectBack(
        before,
        after,
        new Set([...(ofPerson ? [`u${whom}@example.com`] : []), ...(action === 'delete group' ? ['staff'] : [])]),
      )
      // Expects that the rewind neither deletes nor changes an actor that existed before it, and that no reference points to a missing row.
      for (const actor of left?.actors ?? []) expect(after.actors).toContainEqual(actor)
      expect(after.memberships.filter((member) => member.includes('gone'))).toEqual([])
      const ids = new Set(after.actors.map(({ id }) => id))
      expect(after.identities.filter(({ actor_id }) => !ids.has(actor_id))).toEqual([])
      const emails = after.actors.flatMap(({ email }) => email?.toLowerCase() ?? [])
      expect(new Set(emails).size).toBe(emails.length)
      const policy = await getRow(policies, world.account.id, world.policy.id)
      const staff = await world.groupOf('staff')
      const all = await world.groupOf('all')
      const expected = { 'move policy': all?.id, 'delete policy': undefined }
      expect(policy?.group_id).toBe(
        action in expected ? expected[action as keyof typeof expected] : (staff?.id ?? null),
      )
      expect((await checkRows({ account_id: world.account.id })).findings).toEqual([])
      const commits = (await readCommits(world.account.id)).filter(({ run_id }) => run_id === rewind.id)
      expect(new Set(commits.map(({ subject }) => subject?.actor_id))).toEqual(new Set([world.account.apiClient.id]))
    }),
    { numRuns: Number(process.env.SYNC_PROPERTY_RUNS ?? 4), endOnFailure: true },
  )
}, 600_000)
