import { getRow } from '../../table/read.ts'
import { type AccountRow, accounts } from './account.ts'

const timeBudgetMs = 60_000
const known = new Map<string, { status: AccountStatus; at: number }>()

type AccountStatus = { enabled: false } | { enabled: true; limits: AccountRow['limits'] }

/** The state and limits of an account, cached for 60 seconds (L9.4). */
export async function accountStatus(account: string): Promise<AccountStatus> {
  const last = known.get(account)
  if (last && Date.now() - last.at < timeBudgetMs) return last.status
  const row = await getRow(accounts, account, account)
  const status: AccountStatus = row && !row.is_disabled ? { enabled: true, limits: row.limits } : { enabled: false }
  if (known.size > 10_000) known.clear()
  known.set(account, { status, at: Date.now() })
  return status
}
