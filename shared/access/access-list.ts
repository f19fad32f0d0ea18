import * as v from 'valibot'
import { timestamp } from '../core/clock.ts'
import { answerBytes, takeFitting } from '../core/json/answer-size.ts'
import type { ActorRow } from '../domain/actors/actor.ts'
import { evaluateDecidable } from '../domain/policies/conditions/conditions.ts'
import { Policy, type PolicyRow } from '../domain/policies/policy.ts'
import type { Entity, Row } from '../table/entity.ts'
import { cursorsAround, rangeOf } from '../table/list.ts'
import { getRows } from '../table/read.ts'
import type { Page } from '../values/page.ts'

/** Named schema of the API document. @public */
export const PossibleGrant = v.object({
  id: v.string(),
  group_id: v.nullable(v.string()),
  /** The conditions a client has to meet; those on time hold now. */
  conditions: Policy.entries.conditions,
  expires_at: v.nullable(v.string()),
})

type Grant = v.InferOutput<typeof PossibleGrant>

/** Actors without clients have no access. */
export const canHaveAccess = ({ is_disabled, type }: ActorRow): boolean => !is_disabled && type !== 'api_client'

/** The grant of a policy, as far as it is known without a client; null when it gives no access now. */
export function possibleGrant(
  { id, group_id, is_disabled, conditions }: PolicyRow,
  person: boolean,
  now: number,
): Grant | null {
  if (is_disabled) return null
  const evaluation = evaluateDecidable(conditions, person, now)
  if (!evaluation.conforms || (evaluation.until !== null && evaluation.until <= now)) return null
  return { id, group_id, conditions, expires_at: evaluation.until === null ? null : timestamp(evaluation.until) }
}

/** The bound of one row of an access list, which could name any number of policies, each as large as an object can be. */
const maxRowBytes = 1_000_000

/** A list that ended early is named; otherwise `truncated` is absent. */
export const truncatedPolicies = v.optional(v.array(v.literal('policies')))

export const grantFields = { policies: v.array(PossibleGrant), truncated: truncatedPolicies }

/** A list whose rows are found by merging others has no total: it could only be had by reading all of them. */
export const accessList = <S extends v.GenericSchema>(row: S) =>
  v.object({
    data: v.array(row),
    metadata: v.object({ limit: v.number(), next_page: v.nullable(v.string()), prev_page: v.nullable(v.string()) }),
  })

type Range = { after?: string; backward: boolean; limit: number }

/** Candidates that are read at a time, at most. */
const longestStretch = 500

type Accepted<T> = { id: string; row: T }
type Source<T> = {
  /** The next ids beyond a position, in order of ids; fewer than asked for when there are no more. */
  read(range: Range): Promise<string[]>
  accept(ids: string[]): Promise<Accepted<T>[]>
}

/** Accepts the rows that `shown` returns grants for, as many as fit a row. Measures each grant once. */
export function grantedRows<R extends Row, F extends object>(
  account: string,
  entity: Entity<R>,
  shown: (row: R) => { fields: F; grants: Grant[] } | null,
) {
  const sizes = new Map<Grant, number>()
  const bytesOf = (grant: Grant): number => {
    const size = sizes.get(grant) ?? answerBytes(grant)
    sizes.set(grant, size)
    return size
  }
  return async (ids: string[]) => {
    const rows = (await getRows(entity, account, ids)).map(async (row) => {
      const known = row && shown(row)
      if (!known) return []
      const maxBytes = maxRowBytes - answerBytes(known.fields)
      const { kept, more } = await takeFitting(known.grants, { maxBytes, bytesOf })
      return [
        { id: row.id, row: { ...known.fields, policies: kept, ...(more && { truncated: ['policies' as const] }) } },
      ]
    })
    return (await Promise.all(rows)).flat()
  }
}

/** The rows that `accept` makes of candidates. Where few candidates are accepted, stretches get longer. */
async function* acceptedFrom<T>({ read, accept }: Source<T>, { after, backward, limit: wanted }: Range) {
  let position = after
  for (let limit = wanted; ; limit = Math.min(2 * limit, longestStretch)) {
    const ids = await read({ after: position, backward, limit })
    yield* await accept(ids)
    if (ids.length < limit) return
    position = ids.at(-1)
  }
}

/** A page of the rows that are accepted, as far as they fit an answer. */
export async function accessPage<T>(page: Page, source: Source<T>) {
  const range = await rangeOf(page)
  const { after, backward } = range
  const { kept, more } = await takeFitting(acceptedFrom(source, range), { limit: page.limit, shown: ({ row }) => row })
  if (backward) kept.reverse()
  // The page whose cursor led here exists, so there is always one in that direction.
  const behind = (kept.length > 0 || after !== undefined) && (backward || page.cursor !== null)
  const cursors = await cursorsAround(
    page,
    kept.map(({ id }) => id),
    { backward, more, behind },
  )
  return { data: kept.map(({ row }) => row), metadata: { limit: page.limit, ...cursors } }
}
