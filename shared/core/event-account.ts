import { ApiError } from './errors.ts'
import { isUuid } from './ids.ts'
import { fieldsOf } from './json/is-object.ts'

/** Reads the account id from a task's event. @throws ApiError `bad_request` if `account_id` is not a UUID */
export function readAccountId(event: unknown): string {
  const { account_id: account } = fieldsOf(event)
  if (typeof account !== 'string' || !isUuid(account)) throw new ApiError('bad_request', 'account_id must be a UUID.')
  return account.toLowerCase()
}

/** Reads the account id from a task's event; null means all accounts. */
export const readAccountIdOrAll = (event: unknown): string | null =>
  (fieldsOf(event).account_id ?? null) === null ? null : readAccountId(event)
