import { type Author, commit } from '../../commit/commit.ts'
import { timestamp } from '../../core/clock.ts'
import { unauthorized } from '../../core/errors.ts'
import { liveKey } from '../../table/keys.ts'
import { getItem, getItems, rowsBy } from '../../table/read.ts'
import { type GatewayTokenRow, gatewayTokens } from './gateway-token.ts'
import { deleteGatewayToken } from './stage-gateway-token.ts'

/** The ids of those tokens with which a session was ever started. */
export async function usedTokens(account: string, tokens: GatewayTokenRow[]): Promise<Set<string>> {
  const items = await getItems(tokens.map((token) => liveKey(account, gatewayTokens.name, token.id)))
  return new Set(tokens.filter((_, index) => items[index]?.used_at !== undefined).map((token) => token.id))
}

/**
 * Notes that a session is started with a gateway's own token (A22, P2.4). The first use ends the token that this one
 * replaced. It goes through a commit, so that it is ordered against rotations: those decide by it.
 * @throws ApiError `unauthorized` when the token has ended meanwhile.
 */
export async function noteFirstUse(author: Author, { id, gateway_id: gatewayId }: GatewayTokenRow): Promise<void> {
  const { accountId } = author
  const key = liveKey(accountId, gatewayTokens.name, id)
  if (gatewayId === null || (await getItem(key))?.used_at !== undefined) return
  await commit(author, async (transaction) => {
    const [token, live, siblings] = await Promise.all([
      transaction.get(gatewayTokens, id),
      getItem(key),
      rowsBy(gatewayTokens, accountId, 'gateway_id', gatewayId),
    ])
    if (!token) throw unauthorized()
    if (live?.used_at !== undefined) return
    const at = timestamp(transaction.now)
    transaction.put({ ...key, kind: 'live', last_seen_at: at, used_at: at })
    for (const sibling of siblings) {
      if (sibling.id !== id && sibling.rotated_at !== null) deleteGatewayToken(transaction, sibling)
    }
  })
}
