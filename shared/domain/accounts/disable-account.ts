import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import { clientTokens } from '../client-tokens/client-token.ts'
import { deleteClientToken } from '../client-tokens/delete-client-token.ts'

/**
 * Stages the deletion of the client tokens of an account that was disabled, of what they authorized (A30), and the end of
 * its gateways' sessions (P1.7).
 */
export async function stageAccountDisabling(transaction: Transaction): Promise<void> {
  // Tokens made after a later enabling sort behind this id, and stay.
  const bound = transaction.newId()
  transaction.revoke({ by: 'gateway_sessions', id: bound })
  if ((await stageRestOfAccountDisabling(transaction, bound)) === 'more') {
    transaction.defer({ below: 'accounts', id: bound })
  }
}

/** Every credential of a disabled account is refused, so what did not fit goes later. */
export const stageRestOfAccountDisabling = (transaction: Transaction, bound: string): Promise<'done' | 'more'> =>
  stageWhileRoom(
    transaction,
    async (range) => {
      const items = await queryItems(partition(transaction.accountId, clientTokens.name), range)
      return items.filter(({ sk }) => String(sk) < bound)
    },
    (item) => deleteClientToken(transaction, itemRow(clientTokens, item)),
  )
