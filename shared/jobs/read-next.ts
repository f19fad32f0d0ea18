import * as v from 'valibot'
import { ApiError } from '../core/errors.ts'
import { fieldsOf } from '../core/json/is-object.ts'

/** Position of a walk over the table, as the answer of a task holds it; null at its beginning. */
export const Place = v.nullable(v.strictObject({ pk: v.string(), sk: v.string() }))

/** Progress of an earlier run of a task, by the `next` of its answer; null for a new run. @throws ApiError 400 */
export function readNext<T>(progress: v.GenericSchema<unknown, T>, event: unknown): T | null {
  const { next = null } = fieldsOf(event)
  if (next === null) return null
  const read = v.safeParse(progress, next)
  if (!read.success) throw new ApiError('bad_request', 'next must be the next of an answer, as it is.')
  return read.output
}
