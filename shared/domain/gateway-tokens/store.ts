import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { dueItem } from '../../commit/due.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { timestamp } from '../../core/clock.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { rowsBy } from '../../table/read.ts'
import { inSite } from '../gateways/gateway.ts'
import { sites } from '../sites/site.ts'
import {
  activeToken,
  deleteGatewayToken,
  type GatewayTokenRow,
  gatewayTokens,
  mintGatewayToken,
  planRotation,
  rotationEnded,
  rotationGraceMicros,
  usedTokens,
} from './gateway-token.ts'

const readTokens = (transaction: Transaction, gatewayId: string): Promise<GatewayTokenRow[]> =>
  rowsBy(gatewayTokens, transaction.accountId, 'gateway_id', gatewayId)

export const createForSite = (author: Author, siteId: string) =>
  commit(author, async (transaction) => {
    await transaction.existing(sites, siteId)
    return { data: await mintGatewayToken(transaction, { siteId, gatewayId: null }) }
  })

/** Deletes a token that belongs to the site or to one of its gateways. */
export const remove = (author: Author, siteId: string, id: string) =>
  commit(author, async (transaction) => {
    const token = await transaction.get(gatewayTokens, id)
    if (token?.site_id !== siteId || rotationEnded(token, transaction.now)) throw notFound()
    deleteGatewayToken(transaction, token)
    return { data: { id } }
  })

/** Deletes all tokens of a site, but not the tokens of its individual gateways. Uses several commits if necessary. */
export function removeAllOfSite(author: Author, siteId: string) {
  const deletedCounts: number[] = []
  return commitInParts(author, async (transaction, part) => {
    await transaction.existing(sites, siteId)
    let count = 0
    const outcome = await stageRows(transaction, gatewayTokens, 'site_id', siteId, (token) => {
      deleteGatewayToken(transaction, token)
      count++
    })
    deletedCounts[part] = count
    return outcome === 'more'
      ? 'more'
      : { done: { data: { deleted_count: deletedCounts.reduce((sum, each) => sum + each, 0) } } }
  })
}

/** Creates a token for one gateway (A22). @throws ApiError `active_token_exists` */
export const createForGateway = (author: Author, siteId: string, gatewayId: string) =>
  commit(author, async (transaction) => {
    await inSite(transaction, siteId, gatewayId)
    if (activeToken(await readTokens(transaction, gatewayId))) {
      throw new ApiError('active_token_exists', 'An active token exists. Rotate or delete it first.')
    }
    return { data: await mintGatewayToken(transaction, { siteId, gatewayId }) }
  })

/** Replaces the active token of a gateway (A22). @throws ApiError `rotation_conflict` if another request rotated the token concurrently */
export async function rotate(author: Author, siteId: string, gatewayId: string) {
  let found: string | null | undefined
  return commit(author, async (transaction) => {
    await inSite(transaction, siteId, gatewayId)
    const tokens = await readTokens(transaction, gatewayId)
    const active = activeToken(tokens)?.id ?? null
    // Fails if a concurrent rotation won the race: a retry would revoke the token that the other request has returned.
    if (found !== undefined && active !== null && active !== found) {
      throw new ApiError('rotation_conflict', 'Another request rotated this token at the same time.')
    }
    found = active
    const usedIds = await usedTokens(author.accountId, tokens)
    const { end, rotateOut } = planRotation(tokens, (token) => usedIds.has(token.id), transaction.now)
    for (const token of end) deleteGatewayToken(transaction, token)
    if (rotateOut) {
      transaction.update(gatewayTokens, rotateOut, { rotated_at: timestamp(transaction.now) })
      const due = { account_id: author.accountId, collection: gatewayTokens.name, id: rotateOut.id }
      transaction.put(dueItem(due, timestamp(transaction.now + rotationGraceMicros)))
    }
    return { data: await mintGatewayToken(transaction, { siteId, gatewayId }) }
  })
}
