import * as v from 'valibot'
import { ApiError } from './errors.ts'
import { isUuid } from './ids.ts'
import { fieldsOf } from './json/is-object.ts'

/** Reads an id, by default that of the account, from a task's event. @throws ApiError `bad_request` if it is not a UUID */
export function readAccountId(event: unknown, field = 'account_id'): string {
  const { [field]: id } = fieldsOf(event)
  if (typeof id !== 'string' || !isUuid(id)) throw new ApiError('bad_request', `${field} must be a UUID.`)
  return id.toLowerCase()
}

/** Reads the account id from a task's event; null means all accounts. */
export const readAccountIdOrAll = (event: unknown): string | null =>
  (fieldsOf(event).account_id ?? null) === null ? null : readAccountId(event)

/** Reads a task's event with a schema. @throws ApiError `bad_request` with the name of the first invalid field */
export function readEvent<S extends v.GenericSchema>(schema: S, event: unknown): v.InferOutput<S> {
  const parsed = v.safeParse(schema, event ?? {})
  if (parsed.success) return parsed.output
  const [{ message, path }] = parsed.issues
  throw new ApiError('bad_request', `${path?.map(({ key }) => String(key)).join('.') ?? 'event'}: ${message}.`)
}
