import { ApiError } from './errors.ts'
import { isUuid } from './ids.ts'
import { fieldsOf } from './json/is-object.ts'

/** Account that an operator names to a task. @throws ApiError `bad_request` where `account_id` is no UUID */
export function askedAccount(event: unknown): string {
  const { account_id: account } = fieldsOf(event)
  if (typeof account !== 'string' || !isUuid(account)) throw new ApiError('bad_request', 'account_id must be a UUID.')
  return account.toLowerCase()
}

/** Account that an operator names to a task; null for all accounts. */
export const askedAccountOrAll = (event: unknown): string | null =>
  (fieldsOf(event).account_id ?? null) === null ? null : askedAccount(event)
