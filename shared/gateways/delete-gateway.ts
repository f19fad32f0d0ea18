import { gatewayTokens } from '../gateway-tokens/gateway-token.ts'
import { liveKey } from '../table/keys.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { type GatewayRow, gateways } from './gateway.ts'

/** Stages the deletion of a gateway with its tokens, sessions and authorizations (A29). */
export async function deleteGateway(transaction: Transaction, gateway: GatewayRow): Promise<void> {
  for (const token of await rowsBy(gatewayTokens, transaction.accountId, 'gateway_id', gateway.id)) {
    transaction.delete(gatewayTokens, token)
  }
  transaction.delete(gateways, gateway)
  transaction.remove(liveKey(transaction.accountId, gateways.name, gateway.id))
  transaction.revoke({ by: 'gateway', id: gateway.id })
}
