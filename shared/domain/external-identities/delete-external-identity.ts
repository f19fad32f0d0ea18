import type { Transaction } from '../../commit/transaction.ts'
import { rowsBy } from '../../table/read.ts'
import { type ExternalIdentityRow, externalIdentities } from './external-identity.ts'
import { type IssuedToken, stageIssuedTokenDeletions, tokensOfIssuers } from './issued-tokens.ts'

/**
 * Stages the deletion of identities of one actor, first of the client tokens and portal sessions that providers
 * of their issuers gave it (A27); `more` when those did not fit.
 * @param issued those tokens, for who has read them already
 */
export async function stageIdentityDeletions(
  transaction: Transaction,
  identities: ExternalIdentityRow[],
  issued?: IssuedToken[],
): Promise<'done' | 'more'> {
  const [first] = identities
  if (!first) return 'done'
  const issuers = new Set(identities.map(({ issuer }) => issuer))
  const tokens = issued ?? (await tokensOfIssuers(transaction, first.actor_id, issuers))
  if (stageIssuedTokenDeletions(transaction, tokens) === 'more') return 'more'
  for (const identity of identities) {
    if (!transaction.hasRoom()) return 'more'
    transaction.delete(externalIdentities, identity)
  }
  return 'done'
}

/** Stages the deletion of all identities of an actor, with what providers of their issuers made for it (A12.5). */
export const stageIdentityDeletionsOf = async (transaction: Transaction, actorId: string): Promise<'done' | 'more'> =>
  stageIdentityDeletions(transaction, await rowsBy(externalIdentities, transaction.accountId, 'actor_id', actorId))
