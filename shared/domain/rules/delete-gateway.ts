import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { rowsBy } from '../../table/read.ts'
import { deleteGatewayToken, gatewayTokens } from '../gateway-tokens/gateway-token.ts'
import { type GatewayRow, gateways, inSite, publicKeyKey } from '../gateways/gateway.ts'
import { gatewaySessionKey } from '../gateways/session-pointer.ts'
import { renderGateway } from '../gateways/store.ts'
import { findPresence, presenceKey, readPresence } from '../sessions/presence.ts'

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
    transaction.remove(gatewaySessionKey(accountId, presence.token_id, presence.session_id))
  }
  transaction.revoke({ by: 'gateway', id: gateway.id })
}

/** Deletes a gateway (A29). The response contains its last presence, but with `online` false. */
export const removeGateway = (author: Author, siteId: string, id: string) =>
  commit(author, async (transaction) => {
    const gateway = await inSite(transaction, siteId, id)
    const presence = await readPresence(author.accountId, 'gateways', id)
    await deleteGateway(transaction, gateway)
    return { data: { ...renderGateway(gateway, presence, transaction.now), online: false } }
  })
