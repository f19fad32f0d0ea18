import type { Transaction } from '../../commit/transaction.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { findIdentity } from './find-identity.ts'
import { emptyProfile } from './profile-fields.ts'
import type { ProvenIdentity } from './proven-identity.ts'

/**
 * Stages the identity of somebody who has proven it (I3), in the commit that gives the session: one that is known gets the
 * profile of today, one that is new is linked to the actor of its email. Returns the actor's id; `stageSession` decides
 * whether it may sign in. No actor is ever made.
 * @throws SignInRefused when the identity is nobody's; then nothing of the commit may be written
 */
export async function stageIdentity(transaction: Transaction, proven: ProvenIdentity): Promise<string> {
  const { accountId } = transaction
  const { actorId, identity } = await findIdentity(accountId, proven)
  const { issuer, idpId: idp_id, profile } = proven
  if (identity) transaction.update(externalIdentities, identity, { idp_id, ...profile })
  else {
    const fields = { actor_id: actorId, account_id: accountId, issuer, idp_id, directory_id: null, synced_at: null }
    transaction.insert(externalIdentities, { ...fields, ...emptyProfile, ...profile })
  }
  return actorId
}
