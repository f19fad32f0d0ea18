import * as v from 'valibot'
import { timestamp } from '../core/clock.ts'
import { responseBytes, takeFitting } from '../core/json/response-size.ts'
import type { ActorRow } from '../domain/actors/actor.ts'
import { evaluateDecidable } from '../domain/policies/conditions/conditions.ts'
import { Policy, type PolicyRow } from '../domain/policies/policy.ts'
import type { Entity, Row } from '../table/entity.ts'
import { indexPartition } from '../table/keys.ts'
import { cursorsAround, rangeOf } from '../table/list.ts'
import { getRows, sortKeysOf } from '../table/read.ts'
import type { Page } from '../values/page.ts'

/** Policy that grants access, in a row of an access list. @public */
export const PossibleGrant = v.object({
  id: v.string(),
  group_id: v.nullable(v.string()),
  /** Conditions that a client must satisfy. Time conditions are already satisfied at the time of the request. */
  conditions: Policy.entries.conditions,
  expires_at: v.nullable(v.string()),
})

type Grant = v.InferOutput<typeof PossibleGrant>

/** False for disabled actors, and for API clients, which cannot reach resources. */
export const canHaveAccess = ({ is_disabled, type }: ActorRow): boolean => !is_disabled && type !== 'api_client'

/**
 * Describes the access that a policy grants, without evaluating conditions on the client. Returns null if the policy grants no access now.
 */
export function possibleGrant(
  { id, group_id, is_disabled, conditions }: PolicyRow,
  isForPerson: boolean,
  now: number,
): Grant | null {
  if (is_disabled) return null
  const evaluation = evaluateDecidable(conditions, isForPerson, now)
  if (!evaluation.conforms || (evaluation.until !== null && evaluation.until <= now)) return null
  return { id, group_id, conditions, expires_at: evaluation.until === null ? null : timestamp(evaluation.until) }
}

/** Maximum size of an access list row in bytes. Policies beyond this size are left out. */
const maxRowBytes = 1_000_000

/** Names of the lists that were truncated to fit the response. Absent if all lists are complete. */
export const truncatedPolicies = v.optional(v.array(v.literal('policies')))

export const grantFields = { policies: v.array(PossibleGrant), truncated: truncatedPolicies }

const metadata = { limit: v.number(), next_page: v.nullable(v.string()), prev_page: v.nullable(v.string()) }

/** Schema of an access list. It has no `total`, because counting merged lists would require reading all their rows. */
export const accessList = <S extends v.GenericSchema>(row: S) =>
  v.object({ data: v.array(row), metadata: v.object(metadata) })

/** Schema of an access list whose pages state how far they have read (K11.G9). */
export const accessListUntil = <S extends v.GenericSchema>(row: S) =>
  v.object({ data: v.array(row), metadata: v.object({ ...metadata, read_until: v.nullable(v.string()) }) })

type Range = { after?: string; backward: boolean; limit: number }

const firstReadLength = 101
const maxReadLength = 500

type AcceptedRow<T> = { id: string; row: T }
type Source<T> = {
  /** Reads the next ids of the list in order. A result shorter than `limit` marks the end of the list. */
  read(range: Range): Promise<string[]>
  accept(ids: string[]): Promise<AcceptedRow<T>[]>
  /** Maximum ids that a page reads. The page then ends early, and `next_page` resumes there. Unlimited by default. */
  maxRead?: number
}

/** Returns the ids of a range of a sorted list. */
export function idsOfRange(sorted: string[], { after, backward, limit }: Range): string[] {
  const ids = backward ? sorted.toReversed() : sorted
  return ids.filter((id) => after === undefined || (backward ? id < after : id > after)).slice(0, limit)
}

/**
 * Creates a filter that accepts rows with grants, and truncates the grants of a row to the maximum size. Each grant is measured only once.
 */
export function grantedRows<R extends Row, F extends object>(
  account: string,
  entity: Entity<R>,
  render: (row: R) => { fields: F; grants: Grant[] } | null,
) {
  const sizes = new Map<Grant, number>()
  const bytesOf = (grant: Grant): number => {
    const size = sizes.get(grant) ?? responseBytes(grant)
    sizes.set(grant, size)
    return size
  }
  return async (ids: string[]) => {
    const rows = (await getRows(entity, account, ids)).map(async (row) => {
      const view = row && render(row)
      if (!view) return []
      const maxBytes = maxRowBytes - responseBytes(view.fields)
      const { items, more } = await takeFitting(view.grants, { maxBytes, bytesOf })
      return [
        { id: row.id, row: { ...view.fields, policies: items, ...(more && { truncated: ['policies' as const] }) } },
      ]
    })
    return (await Promise.all(rows)).flat()
  }
}

/** Progress of a page: the last id before which all rows were taken, and true if no id follows it. */
type Progress = { last: string | undefined; isLast: boolean }

/**
 * Yields the accepted rows. Begins with few candidates, because a response contains few rows with large policies. If all were accepted, the
 * next read is as long as the rest of the page. Otherwise, doubles the length of the read up to `maxReadLength`.
 */
async function* acceptedRows<T>(
  { read, accept, maxRead = Number.POSITIVE_INFINITY }: Source<T>,
  { after, backward, limit: firstLimit }: Range,
  progress: Progress,
): AsyncGenerator<AcceptedRow<T>> {
  let length = Math.min(firstLimit, firstReadLength)
  let accepted = 0
  for (let left = maxRead; left > 0; ) {
    const limit = Math.min(length, left)
    const ids = await read({ after: progress.last ?? after, backward, limit })
    const rows = await accept(ids)
    for (const row of rows) {
      yield row
      progress.last = row.id
    }
    progress.last = ids.at(-1) ?? progress.last
    progress.isLast = ids.length < limit
    if (progress.isLast) return
    left -= limit
    accepted += rows.length
    length = Math.min(rows.length === ids.length ? firstLimit - accepted : 2 * length, maxReadLength)
  }
}

/** Lists a page. `stop` is the last id read if the page has ended at `maxRead`, otherwise null. */
export async function accessPage<T>(page: Page, source: Source<T>) {
  const range = await rangeOf(page)
  const { after, backward } = range
  const progress: Progress = { last: undefined, isLast: false }
  const { items, more } = await takeFitting(acceptedRows(source, range, progress), {
    limit: page.limit,
    render: ({ row }) => row,
  })
  const stop = more || progress.isLast ? null : (progress.last ?? null)
  const ids = [...items.map(({ id }) => id), ...(stop === null ? [] : [stop])]
  if (backward) for (const list of [items, ids]) list.reverse()
  // A page that was requested with a cursor always has a page behind it: the page that contained the cursor.
  const hasRowsBehind = (items.length > 0 || after !== undefined) && (backward || page.cursor !== null)
  const cursors = await cursorsAround(page, ids, { backward, more: more || stop !== null, hasRowsBehind })
  return { data: items.map(({ row }) => row), metadata: { limit: page.limit, ...cursors }, stop }
}

/** Lists the rows with a value in an indexed field, newest first, without those that do not match. */
export const newestRows = <R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page,
  [field, value]: [field: string, value: string],
  matches: (row: R) => boolean,
) =>
  accessPage(page, {
    read: ({ after, backward, limit }) =>
      sortKeysOf(indexPartition(account, entity.name, field, value), { after, backward: !backward, limit }),
    async accept(ids) {
      const rows = await getRows(entity, account, ids)
      return rows.flatMap((row) => (row && matches(row) ? [{ id: row.id, row }] : []))
    },
  })
