import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { serviceGuard } from '../../domain/accounts/service-guard.ts'
import { tableName } from '../../table/client.ts'
import { entityKey, headKey } from '../../table/keys.ts'
import { getRow } from '../../table/read.ts'
import { remove, type Write, writeTogether } from '../../table/write-together.ts'

/** True from the instant at which an account is deleted; the deletion cannot be called off any more (A32). */
export const isDueForDeletion = ({ is_disabled, delete_at }: AccountRow, nowText: string): boolean =>
  is_disabled && delete_at !== null && delete_at <= nowText

/**
 * Takes an account that is due away, before anything that it has: from here on it does not exist, and its slug is free.
 * Its head item goes too, so that no commit that is under way brings it back. Answers what there is to do then.
 */
export async function closeAccount(id: string, nowText: string): Promise<'closed' | 'called off' | 'changing'> {
  const account = await getRow(accounts, id, id)
  if (!account) return 'closed'
  if (!isDueForDeletion(account, nowText)) return 'called off'
  const outcome = await writeTogether([
    deletion(account),
    remove(headKey(id)),
    remove(serviceGuard('slug', account.slug)),
    remove(serviceGuard('key', account.key)),
  ])
  return outcome === 'done' ? 'closed' : 'changing'
}

/** Only as it was read. */
const deletion = ({ id, updated_at }: AccountRow): Write => ({
  Delete: {
    TableName: tableName(),
    Key: entityKey(id, accounts.name, id),
    ConditionExpression: 'updated_at = :read',
    ExpressionAttributeValues: { ':read': updated_at },
  },
})
