import { readAccountIdOrAll } from '../core/event-account.ts'
import { readArchiveStatus } from '../seal/archive-status.ts'
import { sealedAccountsPartition } from '../seal/log/sealed-log.ts'
import { sortKeysOf } from '../table/read.ts'
import { rejectUnknownAccount } from '../table/reject-unknown-account.ts'

/**
 * Lists the status of the archive of each account.
 * @param event `account_id` limits the list to one account
 * @throws ApiError `bad_request` for an invalid `account_id`, `not_found` for an unknown account
 */
export async function listArchives(event: unknown) {
  const account = readAccountIdOrAll(event)
  if (account !== null) await rejectUnknownAccount(account)
  const accounts = account === null ? await sortKeysOf(sealedAccountsPartition) : [account]
  const archives: object[] = []
  for (const account_id of accounts) archives.push({ account_id, ...(await readArchiveStatus(account_id)).data })
  return { archives }
}
