import type { Transaction } from '../../commit/transaction.ts'
import { mintToken } from '../../core/secrets/token.ts'
import { liveKey } from '../../table/keys.ts'
import { type GatewayTokenRow, gatewayTokens } from './gateway-token.ts'

/** Stages a new token of a site, or of a gateway in it; `token` is the string that is shown once. */
export async function mintGatewayToken(transaction: Transaction, owner: { siteId: string; gatewayId: string | null }) {
  const { siteId, gatewayId } = owner
  const id = transaction.newId()
  const ids = { accountId: transaction.accountId, ownerId: gatewayId ?? siteId, tokenId: id }
  const { token, stored } = await mintToken('gateway', ids)
  transaction.insert(gatewayTokens, { id, site_id: siteId, gateway_id: gatewayId, rotated_at: null, ...stored })
  return { id, token }
}

/** Stages the end of a token. The sessions started with it end too, since a session counts only with its token (P1.7). */
export function deleteGatewayToken(transaction: Transaction, token: GatewayTokenRow): void {
  transaction.delete(gatewayTokens, token)
  transaction.remove(liveKey(transaction.accountId, gatewayTokens.name, token.id))
}
