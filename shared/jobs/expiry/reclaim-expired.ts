import { commitInParts } from '../../commit/commit-in-parts.ts'
import { type Due, duePartition, dueShards, isDue } from '../../commit/due.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { apiTokens, deleteApiToken } from '../../domain/api-tokens/api-token.ts'
import { clientTokens, deleteClientToken } from '../../domain/client-tokens/client-token.ts'
import { deleteGatewayToken, gatewayTokens, rotationEnded } from '../../domain/gateway-tokens/gateway-token.ts'
import { resumeChange } from '../../domain/member-sets/pending-change.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { poolMembers } from '../../domain/pool-members/pool-member.ts'
import { portalSessions } from '../../domain/portal-sessions/portal-session.ts'
import type { Key } from '../../table/keys.ts'
import { removeItem } from '../../table/put-item.ts'
import { queryItems } from '../../table/read.ts'
import { isUnexpired } from '../../values/expiry.ts'

/** Functions by collection that delete a row if it has expired. */
const endings: Record<string, (transaction: Transaction, id: string) => Promise<void>> = {
  async [clientTokens.name](transaction, id) {
    const token = await transaction.get(clientTokens, id)
    if (token && !isUnexpired(token, transaction.now)) deleteClientToken(transaction, token)
  },
  async [apiTokens.name](transaction, id) {
    const token = await transaction.get(apiTokens, id)
    if (token && !isUnexpired(token, transaction.now)) deleteApiToken(transaction, token)
  },
  async [portalSessions.name](transaction, id) {
    const session = await transaction.get(portalSessions, id)
    if (session && !isUnexpired(session, transaction.now)) transaction.delete(portalSessions, session)
  },
  async [gatewayTokens.name](transaction, id) {
    const token = await transaction.get(gatewayTokens, id)
    if (token && rotationEnded(token, transaction.now)) deleteGatewayToken(transaction, token)
  },
}

/** Collections of set members. Their due items represent changes that may have been interrupted. */
const memberSets = [memberships.name, poolMembers.name]

/** Number of due items per read. Kept small, because a run without due items still reads this many items. */
const perRead = 25

type DueItem = Key & Due

/**
 * Deletes expired rows (A31), which requests already ignore, and resumes interrupted changes of member sets (A15.6). The next run retries
 * failed items.
 * @throws AggregateError with all failures
 */
export async function reclaimExpired(deadline: number): Promise<void> {
  const errors = (await Promise.all(dueShards.map((shard) => reclaimShard(shard, deadline)))).flat()
  if (errors.length > 0) throw new AggregateError(errors, 'Some expired rows were not deleted.')
}

async function reclaimShard(shard: string, deadline: number): Promise<unknown[]> {
  const nowText = timestamp(clock.now())
  const errors: unknown[] = []
  for (let after: string | undefined; clock.monotonic() < deadline; ) {
    const page = (await queryItems(duePartition(shard), { after, limit: perRead })) as DueItem[]
    const dueItems = page.filter((item) => isDue(item, nowText))
    const byAccount = [...Map.groupBy(dueItems, ({ account_id }) => account_id)]
    const outcomes = await Promise.allSettled(byAccount.map(([account, items]) => reclaim(account, items)))
    errors.push(...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])))
    if (dueItems.length < perRead) break
    after = dueItems.at(-1)?.sk
  }
  return errors
}

/** Deletes expired rows with commits without a subject (L5), so that the change log records deleted tokens. */
async function reclaim(accountId: string, items: DueItem[]): Promise<void> {
  const changes = items.filter(({ collection }) => memberSets.includes(collection))
  const rows = items.filter(({ collection }) => !memberSets.includes(collection))
  for (const { collection, id } of changes) await resumeChange(accountId, collection, id)
  await commitInParts({ accountId, subject: null }, async (transaction) => {
    for (const { collection, id } of rows) {
      if (!transaction.hasCapacity()) return 'more'
      await endings[collection]?.(transaction, id)
    }
    return { done: undefined }
  })
  await Promise.all(items.map((item) => removeItem(item)))
}
