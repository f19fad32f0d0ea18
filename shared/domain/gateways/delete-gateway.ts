import type { Transaction } from '../../commit/transaction.ts'
import { rowsBy } from '../../table/read.ts'
import { gatewayTokens } from '../gateway-tokens/gateway-token.ts'
import { deleteGatewayToken } from '../gateway-tokens/stage-gateway-token.ts'
import { findPresence, presenceKey } from '../presence/presence.ts'
import { type GatewayRow, gateways } from './gateway.ts'
import { publicKeyKey } from './public-key-index.ts'
import { sessionKey } from './session-pointer.ts'

/** Stages the deletion of a gateway with its tokens, sessions and authorizations (A29). */
export async function deleteGateway(transaction: Transaction, gateway: GatewayRow): Promise<void> {
  const { accountId } = transaction
  const key = presenceKey(accountId, 'gateways', gateway.id)
  const [tokens, presence] = await Promise.all([
    rowsBy(gatewayTokens, accountId, 'gateway_id', gateway.id),
    findPresence(accountId, 'gateways', gateway.id),
  ])
  for (const token of tokens) deleteGatewayToken(transaction, token)
  transaction.delete(gateways, gateway)
  transaction.remove(key)
  if (presence) {
    transaction.remove(publicKeyKey(accountId, gateway.site_id, presence.public_key, gateway.id))
    transaction.remove(sessionKey(accountId, presence.token_id, presence.session_id))
  }
  transaction.revoke({ by: 'gateway', id: gateway.id })
}
