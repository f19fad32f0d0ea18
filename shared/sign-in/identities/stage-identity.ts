import type { Transaction } from '../../commit/transaction.ts'
import { type AuthProviderRow, opensPortal } from '../../domain/auth-providers/auth-provider.ts'
import { stageIdentityChange } from '../../domain/external-identities/change-external-identity.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import type { FoundIdentity } from './find-identity.ts'
import { emptyProfile } from './profile-fields.ts'
import type { ProvenIdentity } from './proven-identity.ts'

/**
 * Stages the identity of somebody who has proven it (I3). A known identity gets the current profile; a new one is
 * linked to the actor of its email. A link by email opens the portal where the provider does (I3.5). A new subject
 * first ends what the former one was given; `more` when that did not fit.
 */
export async function stageIdentity(
  transaction: Transaction,
  { actorId, identity, byEmail }: FoundIdentity,
  { issuer, idpId: idp_id, profile }: ProvenIdentity,
  provider: Pick<AuthProviderRow, 'context'>,
): Promise<'done' | 'more'> {
  const opens_portal = byEmail || !identity ? opensPortal(provider) : identity.opens_portal
  if (identity) {
    // The directory that names the former subject does not own the new one.
    const directory_id = identity.idp_id === idp_id ? identity.directory_id : null
    return stageIdentityChange(transaction, identity, { idp_id, opens_portal, directory_id, ...profile })
  }
  const fields = { actor_id: actorId, account_id: transaction.accountId, issuer, idp_id, opens_portal }
  transaction.insert(externalIdentities, {
    ...fields,
    directory_id: null,
    synced_at: null,
    ...emptyProfile,
    ...profile,
  })
  return 'done'
}
