import * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { microsOf, timestamp } from '../../core/clock.ts'
import { unauthorized } from '../../core/errors.ts'
import { mintToken, type SecretHash } from '../../core/secrets/token.ts'
import { entity, type Row } from '../../table/entity.ts'
import { presenceItemKey } from '../../table/keys.ts'
import { getItem, getItems, rowsBy } from '../../table/read.ts'

/** A token for one gateway, or for a site and all its gateways (A22). The token's presence item records its first use. */
export type GatewayTokenRow = Row &
  SecretHash & {
    site_id: string
    /** Null for a token that is valid for the whole site. */
    gateway_id: string | null
    rotated_at: string | null
  }

export const gatewayTokens = entity<GatewayTokenRow>({
  name: 'gateway_tokens',
  defaults: { gateway_id: null, rotated_at: null },
  indexes: {
    site_id: { value: (row) => (row.gateway_id ? null : row.site_id), counted: true },
    gateway_id: { value: (row) => row.gateway_id },
  },
  redact: ['secret_hash'],
})

/** Gateway token in lists, without its secret (K11.G11). */
export const GatewayToken = v.object({
  id: v.string(),
  site_id: v.string(),
  gateway_id: v.nullable(v.string()),
  rotated_at: v.nullable(v.string()),
  last_seen_at: v.nullable(v.string()),
  inserted_at: v.string(),
})

/** Response to the creation of a gateway token, the only response that contains the secret (A22). */
export const ShownGatewayToken = v.object({ id: v.string(), token: v.string() })

/** Stages a new token for a gateway or, with a null `gatewayId`, for the whole site. Only the token's hash is stored. */
export async function mintGatewayToken(transaction: Transaction, owner: { siteId: string; gatewayId: string | null }) {
  const { siteId, gatewayId } = owner
  const id = transaction.newId()
  const ids = { accountId: transaction.accountId, ownerId: gatewayId ?? siteId, tokenId: id }
  const { token, secret_hash } = mintToken('gateway', ids)
  transaction.insert(gatewayTokens, { id, site_id: siteId, gateway_id: gatewayId, rotated_at: null, secret_hash })
  return { id, token }
}

/** Stages the deletion of a gateway token. This also ends the token's sessions, because a session is valid only with its token (P1.7). */
export function deleteGatewayToken(transaction: Transaction, token: GatewayTokenRow): void {
  transaction.delete(gatewayTokens, token)
  transaction.remove(presenceItemKey(transaction.accountId, gatewayTokens.name, token.id))
}

/** Time for which a rotated gateway token stays valid unless its replacement is used first (A22): 4 hours. */
export const rotationGraceMicros = 4 * 3_600_000_000

export const rotationEnded = ({ rotated_at }: Pick<GatewayTokenRow, 'rotated_at'>, now: number): boolean =>
  rotated_at !== null && microsOf(rotated_at) + rotationGraceMicros <= now

/**
 * Plans a rotation (A22). A used active token gets a grace period, and the previously rotated token is revoked. An unused active token is
 * revoked at once.
 */
export function planRotation(
  tokens: GatewayTokenRow[],
  isUsed: (token: GatewayTokenRow) => boolean,
  now: number,
): { end: GatewayTokenRow[]; rotateOut: GatewayTokenRow | null } {
  const active = activeToken(tokens)
  const rotatedTokens = tokens.filter((token) => token.rotated_at !== null)
  if (active && isUsed(active)) return { end: rotatedTokens, rotateOut: active }
  const endedTokens = rotatedTokens.filter((token) => rotationEnded(token, now))
  return { end: active ? [active, ...endedTokens] : endedTokens, rotateOut: null }
}

export const activeToken = (tokens: GatewayTokenRow[]): GatewayTokenRow | null =>
  tokens.find((token) => token.rotated_at === null) ?? null

/** Returns the ids of the tokens that have started at least one session. */
export async function usedTokens(account: string, tokens: GatewayTokenRow[]): Promise<Set<string>> {
  const items = await getItems(tokens.map((token) => presenceItemKey(account, gatewayTokens.name, token.id)))
  return new Set(tokens.filter((_, index) => items[index]?.used_at !== undefined).map((token) => token.id))
}

/**
 * Records the first session that a gateway's own token starts, and deletes the token that it replaced (A22, P2.4). Uses a commit to
 * serialize with rotations, which depend on the first use.
 * @throws ApiError `unauthorized` if the token was deleted in the meantime
 */
export async function noteFirstUse(author: Author, { id, gateway_id: gatewayId }: GatewayTokenRow): Promise<void> {
  const { accountId } = author
  const key = presenceItemKey(accountId, gatewayTokens.name, id)
  if (gatewayId === null || (await getItem(key))?.used_at !== undefined) return
  await commit(author, async (transaction) => {
    const [token, presence, siblings] = await Promise.all([
      transaction.get(gatewayTokens, id),
      getItem(key),
      rowsBy(gatewayTokens, accountId, 'gateway_id', gatewayId),
    ])
    if (!token) throw unauthorized()
    if (presence?.used_at !== undefined) return
    const at = timestamp(transaction.now)
    transaction.put({ ...key, kind: 'presence', last_seen_at: at, used_at: at })
    for (const sibling of siblings) {
      if (sibling.id !== id && sibling.rotated_at !== null) deleteGatewayToken(transaction, sibling)
    }
  })
}
