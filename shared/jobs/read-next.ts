import * as v from 'valibot'
import { ApiError } from '../core/errors.ts'
import { fieldsOf } from '../core/json/is-object.ts'

/** Scan position in a task's response; null at the beginning of the table. */
export const ScanPosition = v.nullable(v.strictObject({ pk: v.string(), sk: v.string() }))

/** Parses the progress of an earlier run from `next` in the event; null for a new run. @throws ApiError `bad_request` */
export function readNext<T>(progress: v.GenericSchema<unknown, T>, event: unknown): T | null {
  const { next = null } = fieldsOf(event)
  if (next === null) return null
  const result = v.safeParse(progress, next)
  if (!result.success)
    throw new ApiError('bad_request', 'next must be the unchanged next value of an earlier response.')
  return result.output
}
