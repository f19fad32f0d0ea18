import { stageWithinCapacity } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type Entity, itemRow, type Row } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import { clientTokens, deleteClientToken } from '../client-tokens/client-token.ts'
import { portalSessions } from '../portal-sessions/portal-session.ts'

/** Stages the deletion of a disabled account's client tokens and portal sessions, and revokes its gateway sessions (A30, P1.7). */
export async function stageAccountDisabling(transaction: Transaction): Promise<void> {
  // Excludes tokens that are created after the account is enabled again, because their ids are greater.
  const bound = transaction.newId()
  transaction.revoke({ by: 'gateway_sessions', id: bound })
  if ((await stageRestOfAccountDisabling(transaction, bound)) === 'more') {
    transaction.defer({ below: 'accounts', id: bound })
  }
}

/** Stages the deletion of tokens older than `bound`. A delay is harmless, because all credentials of a disabled account are refused. */
export async function stageRestOfAccountDisabling(transaction: Transaction, bound: string): Promise<'done' | 'more'> {
  const tokens = await stageEarlier(transaction, clientTokens, bound, (token) => deleteClientToken(transaction, token))
  if (tokens === 'more') return tokens
  return stageEarlier(transaction, portalSessions, bound, (session) => transaction.delete(portalSessions, session))
}

const stageEarlier = <R extends Row>(
  transaction: Transaction,
  entity: Entity<R>,
  bound: string,
  stage: (row: R) => void,
): Promise<'done' | 'more'> =>
  stageWithinCapacity(
    transaction,
    async (range) => {
      const items = await queryItems(partition(transaction.accountId, entity.name), range)
      return items.filter(({ sk }) => String(sk) < bound)
    },
    (item) => stage(itemRow(entity, item)),
  )
