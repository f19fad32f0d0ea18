import type { Transaction } from '../../commit/transaction.ts'
import { type ExternalIdentityRow, externalIdentities } from './external-identity.ts'
import { stageIssuedTokenDeletions, tokensOfIssuers } from './issued-tokens.ts'

type Subject = Pick<ExternalIdentityRow, 'idp_id' | 'issuer'>

/** Returns whether an identity would belong to another subject of a provider than before. */
export const isOtherSubject = (identity: Subject, { idp_id, issuer }: Partial<Subject>): boolean =>
  (idp_id ?? identity.idp_id) !== identity.idp_id || (issuer ?? identity.issuer) !== identity.issuer

/**
 * Stages a change of an identity. A new subject first ends the client tokens and portal sessions that providers of the
 * old issuer gave the actor (A30). `more` when those did not fit; the identity is unchanged then.
 */
export async function stageIdentityChange(
  transaction: Transaction,
  identity: ExternalIdentityRow,
  changes: Partial<ExternalIdentityRow>,
): Promise<'done' | 'more'> {
  if (isOtherSubject(identity, changes)) {
    const tokens = await tokensOfIssuers(transaction, identity.actor_id, new Set([identity.issuer]))
    if (stageIssuedTokenDeletions(transaction, tokens) === 'more' || !transaction.hasRoom()) return 'more'
  }
  transaction.update(externalIdentities, identity, changes)
  return 'done'
}
