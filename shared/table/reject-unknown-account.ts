import { ApiError } from '../core/errors.ts'
import { accountVersionKey } from './keys.ts'
import { getItem } from './read.ts'

/** Rejects a mistyped account id in an operator's task. @throws ApiError `bad_request` for an unknown account */
export async function rejectUnknownAccount(account: string): Promise<void> {
  if (!(await getItem(accountVersionKey(account))))
    throw new ApiError('bad_request', `The account ${account} does not exist.`)
}
