import { stageWithinCapacity } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type Entity, itemRow, type Row } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import { clientTokens, deleteClientToken } from '../client-tokens/client-token.ts'
import { portalSessions } from '../portal-sessions/portal-session.ts'

/** Stages the end of the client tokens, portal sessions and gateway sessions of a disabled account (A30, P1.7). */
export async function stageAccountDisabling(transaction: Transaction): Promise<void> {
  // Tokens made after a later enabling sort behind this id, and stay.
  const bound = transaction.newId()
  transaction.revoke({ by: 'gateway_sessions', id: bound })
  if ((await stageRestOfAccountDisabling(transaction, bound)) === 'more') {
    transaction.defer({ below: 'accounts', id: bound })
  }
}

/** Every credential of a disabled account is refused, so what did not fit goes later. */
export async function stageRestOfAccountDisabling(transaction: Transaction, bound: string): Promise<'done' | 'more'> {
  const tokens = await stageEarlier(transaction, clientTokens, bound, (token) => deleteClientToken(transaction, token))
  if (tokens === 'more') return tokens
  return stageEarlier(transaction, portalSessions, bound, (session) => transaction.delete(portalSessions, session))
}

/** Stages what becomes of the rows that were made before an id was. */
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
