import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { changeOperations, loggedObjects } from '#shared/logs/entries/log-entry.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { changeLimits } from '#shared/logs/scan-changes.ts'
import { readPages } from '#test/support/logs/log-pages.ts'
import { plantIntoFile } from '#test/support/table/plant-items.ts'

const span = 3 * 24 * 60 * 60_000_000
const ids = Array.from({ length: 3 }, () => randomUUID())
const objects = loggedObjects.slice(0, 3)
const emails = ['ada@example.com', 'grace@example.com']
const limits = { ...changeLimits }

/** Index of a value, or the length of its list for an entry or a query without a value. */
const one = fc.nat({ max: 3 })
const change = fc.record({ object: fc.nat({ max: 2 }), operation: fc.nat({ max: 2 }), id: fc.nat({ max: 2 }) })
const commit = fc.record({
  at: fc.nat({ max: 12 }),
  changes: fc.array(change, { minLength: 1, maxLength: 6 }),
  ...{ actor: one, email: fc.nat({ max: 2 }), run: one },
})
const search = fc.record({
  begin: fc.nat({ max: 12 }),
  width: fc.nat({ max: 12 }),
  limit: fc.integer({ min: 1, max: 9 }),
  filters: fc.subarray(['object', 'operation', 'run_id'] as const, { minLength: 1 }),
  others: fc.subarray(['actor_id', 'actor_email', 'object_id'] as const, { maxLength: 2 }),
  values: fc.record({ object: one, operation: one, id: one }),
  maxEntries: fc.constantFrom(1, 2, 5, limits.entries),
  maxUnits: fc.constantFrom(260, limits.units),
})

afterEach(() => {
  Object.assign(changeLimits, limits)
})

it('lists the same changes as a plain filter, on pages of any size and in both directions (K11.G7)', async () => {
  const commits = fc.uniqueArray(commit, { selector: ({ at }) => at, minLength: 6, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(commits, fc.array(search, { minLength: 12, maxLength: 12 }), async (made, searches) => {
      const start = clock.now() - span
      const account = { id: randomUUID(), inserted_at: timestamp(start - 1) } as AccountRow
      const planted = made.flatMap(({ at: step, changes, actor, email, run }) =>
        changes.map(({ object, operation, id: row }, position) => {
          const at = start + (step * span) / 12
          const [actor_id = null, actor_email = null] = [ids[actor], emails[email]]
          const fields = { object: objects[object], operation: changeOperations[operation], run_id: ids[run] }
          const snapshot = { id: ids[row], name: 'x'.repeat(20 * object) }
          const entry = {
            ...{ before: operation === 0 ? null : snapshot, after: operation === 2 ? null : snapshot },
            ...{ ...fields, subject: actor_id === null ? null : { actor_id, actor_email } },
          }
          const id = logId('change', at, positionTail(position))
          plantIntoFile(logItems(account.id, 'change', id, at, entry))
          const named = { actor_id, actor_email: entry.subject && actor_email, object_id: ids[row] }
          return { id, at, ...fields, ...named } as Record<string, unknown> & { id: string; at: number }
        }),
      )
      for (const { begin: step, width, limit, filters, others, values, maxEntries, maxUnits } of searches) {
        Object.assign(changeLimits, { entries: maxEntries, units: maxUnits })
        const [begin, end] = [start + (step * span) / 12, start + ((step + width) * span) / 12]
        const wanted: Record<string, string> = {
          object: objects[values.object % 3] as string,
          operation: changeOperations[values.operation % 3] as string,
          run_id: ids[values.id] ?? randomUUID(),
          actor_id: ids[values.id % 3] as string,
          actor_email: emails[values.id % 2] as string,
          object_id: ids[values.operation % 3] as string,
        }
        const names = [...filters, ...others]
        const expected = planted
          .filter(({ at }) => at >= begin && at <= end)
          .filter((entry) => names.every((name) => entry[name] === wanted[name]))
          .map(({ id }) => id)
          .sort()
          .reverse()
        const { forward, backward } = await readPages(account, {
          ...Object.fromEntries(names.map((name) => [name, wanted[name] as string])),
          ...{ type: 'change', begin: timestamp(begin), end: timestamp(end), limit: String(limit), total_limit: '9' },
        })
        expect(forward.flatMap(({ ids }) => ids)).toEqual(expected)
        const before = expected.slice(0, expected.length - (forward.at(-1)?.ids.length ?? 0))
        expect(backward.flatMap(({ ids }) => ids)).toEqual(before)
        for (const { ids, next_page, total, count, read_until } of forward) {
          expect([total, count]).toEqual([0, 0])
          // A page that ends before the end of the window is full, or reports how far it has read.
          if (next_page !== null && ids.length < limit) expect(read_until).not.toBeNull()
          if (next_page === null) expect(read_until).toBeNull()
        }
      }
    }),
    { numRuns: 12, endOnFailure: true },
  )
})
