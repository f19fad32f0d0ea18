import { entityKey } from '../table/keys.ts'
import { getItem } from '../table/read.ts'
import { accounts } from './account.ts'

const patienceMs = 60_000
const known = new Map<string, { enabled: boolean; at: number }>()

/** Whether the account exists and is enabled, remembered for 60 seconds (L9.4). */
export async function accountIsEnabled(account: string): Promise<boolean> {
  const last = known.get(account)
  if (last && Date.now() - last.at < patienceMs) return last.enabled
  const item = await getItem(entityKey(account, accounts.name, account))
  const enabled = item !== undefined && item.is_disabled !== true
  if (known.size > 10_000) known.clear()
  known.set(account, { enabled, at: Date.now() })
  return enabled
}
