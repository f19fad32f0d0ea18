import type { Author } from '../commit/commit.ts'
import { pointerKeys } from '../commit/revoke.ts'
import { clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import { noteWrite } from '../core/work/work.ts'
import { type Attribution, attributionKey } from '../logs/flows/attribution.ts'
import { ifMet, removeItem } from '../table/put-item.ts'
import { getItem } from '../table/read.ts'
import { type AuthorizationItem, authorizationKey, hasExpired } from './authorization.ts'

/** Finds an authorization by its id. Its attribution, whose key is the id, contains the gateway. @throws ApiError 404 */
async function existingAuthorization(account: string, id: string): Promise<AuthorizationItem> {
  const attribution = await getItem<Attribution>(attributionKey(account, id))
  if (!attribution) throw notFound()
  const item = await getItem<AuthorizationItem>(authorizationKey(account, attribution.responder_device_id, id))
  if (!item || hasExpired(item, clock.now())) throw notFound()
  return item
}

/**
 * Ends an authorization (K11.G10). The consumer `follow-up` notifies the gateway of the deletion (C5.2).
 * @throws ApiError 404 for an unknown or ended authorization, `precondition_failed` for any `If-Match`
 */
export async function endAuthorization(
  { accountId, precondition }: Author,
  id: string,
): Promise<{ data: { id: string } }> {
  const find = () => existingAuthorization(accountId, id)
  const item = await (precondition ? precondition(find) : find())
  // Access ends with the authorization. Pointers that remain after a crash lead nowhere until they expire, so no transaction is needed,
  // which would take twice the write units.
  const removed = await ifMet(noteWrite(removeItem(item, { ConditionExpression: 'attribute_exists(pk)' })))
  if (!removed) throw notFound()
  const ofThis = { ConditionExpression: 'authorization_id = :id', ExpressionAttributeValues: { ':id': id } }
  await Promise.all(pointerKeys(item).map((key) => ifMet(removeItem(key, ofThis))))
  return { data: { id } }
}
