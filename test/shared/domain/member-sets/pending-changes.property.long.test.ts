import type { DynamoDBRecord } from 'aws-lambda'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { workTime } from '#shared/core/work/work.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { readPending } from '#shared/domain/member-sets/pending-change.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { entries, newMembershipWorld } from '#test/support/accounts/memberships.ts'
import { followUpAll, readCommits, toStreamRecord } from '#test/support/logs/commit-stream.ts'
import { membersOf } from '#test/support/table/members-of.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const count = 160

/** Generates ranges of actors, so that most sets differ by more members than a commit can contain. */
const some = fc.tuple(fc.nat(count), fc.nat(count)).map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)])
/** Decides whether a request has time for one part or for all parts of the change, and at which write its process dies. */
const fate = { hasTime: fc.boolean(), diesAt: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 3 }) }
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('put' as const), members: some, ...fate }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('patch' as const), add: some, remove: some, ...fate }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), record: fc.nat(), ...fate }) },
    fc.record({ kind: fc.constant('delete' as const), actor: fc.nat(count - 1) }),
  ),
  { minLength: 8, maxLength: 14 },
)

const newWorld = async () => {
  const world = await newMembershipWorld()
  const rows = await plantRows<ActorRow>(world.account.id, actors, count, robotRow)
  const group = await world.newGroup()
  const { account } = world
  const members = () => membersOf(account.id, memberships, group)
  const pending = () => readPending(account.id, memberships.name, group)
  return {
    ...world,
    group,
    ids: rows.map(({ id }) => id),
    members,
    pending,
    async target(alive: Set<string>): Promise<string[]> {
      const set = new Set(await members())
      for (const { joins, ids } of await pending()) for (const id of ids) joins ? set.add(id) : set.delete(id)
      return [...set].filter((id) => alive.has(id)).sort()
    },
  }
}

it('a set results from its requests in their order, for any execution of their parts', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const { account, group, ids, members, pending, target, put, patch } = await newWorld()
      const alive = new Set(ids)
      let model = new Set<string>()
      const those = ([from, to]: [number, number]) => ids.slice(from, to).filter((id) => alive.has(id))
      const sorted = (set: Set<string>) => [...set].sort()

      const change = async (expected: Set<string>, send: () => ReturnType<typeof put>, died: boolean) => {
        const { status, body } = await send()
        vi.restoreAllMocks()
        if (status >= 500) {
          expect(died).toBe(true)
          // Expects that the change is stored completely or not at all.
          const reached = await target(alive)
          expect([sorted(model), sorted(expected)]).toContainEqual(reached)
          model = new Set(reached)
          return
        }
        model = expected
        expect(body.data.actor_ids).toEqual(await members())
        const left = (await pending()).flatMap((part) => part.ids).length
        expect([status, body.metadata?.pending]).toEqual(left > 0 ? [202, left] : [200, undefined])
      }

      for (const step of script) {
        if (step.kind === 'delete') {
          const id = ids[step.actor] as string
          alive.delete(id)
          model.delete(id)
          await account.call(deleteActor, { method: 'DELETE', params: { id } })
          continue
        }
        const records = (await readCommits(account.id)).map((one) => toStreamRecord(one) as DynamoDBRecord)
        vi.spyOn(workTime, 'request').mockReturnValue(step.hasTime ? 60_000 : -1)
        vi.spyOn(workTime, 'delivery').mockReturnValue(step.hasTime ? 60_000 : -1)
        const died = step.diesAt !== null
        if (step.diesAt !== null) crashAfter(step.diesAt)
        if (step.kind === 'put') {
          const list = those(step.members)
          await change(new Set(list), () => put(group, entries(...list)), died)
        } else if (step.kind === 'patch') {
          const add = those(step.add)
          const remove = those(step.remove)
          const expected = new Set([...[...model].filter((id) => !remove.includes(id)), ...add])
          await change(expected, () => patch(group, { add, remove }), died)
        } else {
          // Delivers a random stream record, which may have been delivered before.
          const { batchItemFailures } = await followUp({ Records: [records[step.record % records.length] as never] })
          vi.restoreAllMocks()
          if (!died) expect(batchItemFailures).toEqual([])
        }
        expect(await target(alive)).toEqual(sorted(model))
      }
      // Completes the pending changes with a further request and with the stream deliveries.
      vi.spyOn(workTime, 'request').mockReturnValue(-1)
      expect((await patch(group, {})).status).toBeLessThan(300)
      vi.restoreAllMocks()
      await followUpAll(account.id)
      expect(await members()).toEqual(sorted(model))
      expect(await pending()).toEqual([])
    }),
    { numRuns: 6 },
  )
})
