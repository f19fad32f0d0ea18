import { clock } from '../clock.ts'
import { entityKey } from '../table/keys.ts'
import { getItem } from '../table/read.ts'
import { accounts } from './account.ts'

/** How long a disabled account can still be taken for an enabled one (L9.4). */
const memoryMicros = 55_000_000
const known = new Map<string, { enabled: boolean; until: number }>()

/** Whether an account exists and is enabled, at most a minute old, for callers that read no row of it. */
export async function accountIsEnabled(account: string): Promise<boolean> {
  const now = clock.now()
  const remembered = known.get(account)
  if (remembered && remembered.until > now) return remembered.enabled
  const item = await getItem(entityKey(account, accounts.name, account))
  const enabled = item !== undefined && item.is_disabled !== true
  if (known.size > 10_000) known.clear()
  known.set(account, { enabled, until: now + memoryMicros })
  return enabled
}
