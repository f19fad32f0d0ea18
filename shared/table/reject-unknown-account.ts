import { ApiError } from '../core/errors.ts'
import { accountVersionKey } from './keys.ts'
import { getItem } from './read.ts'

/** @throws ApiError `bad_request` for an account that is not there: an operator who mistypes an id must not hear that all is well */
export async function rejectUnknownAccount(account: string): Promise<void> {
  if (!(await getItem(accountVersionKey(account)))) throw new ApiError('bad_request', `There is no account ${account}.`)
}
