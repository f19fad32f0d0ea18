import type { Transaction } from '../../commit/transaction.ts'
import { actors } from '../../domain/actors/actor.ts'
import { type AuthProviderRow, opensPortal } from '../../domain/auth-providers/auth-provider.ts'
import {
  type ExternalIdentityRow,
  externalIdentities,
  identityOf,
  identityOfActor,
} from '../../domain/external-identities/external-identity.ts'
import { stageIdentityChange } from '../../domain/external-identities/issued-tokens.ts'
import { findUnique } from '../../table/read.ts'
import { checkEmail } from '../../values/email.ts'
import { foldAscii } from '../../values/text.ts'
import { type Refusal, SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { emptyProfile, type ProfileFields } from './profile-fields.ts'

type FoundIdentity = {
  actorId: string
  /** Null before the first link. */
  identity: ExternalIdentityRow | null
  /** True if the actor was found by the verified email, so the provider vouches for the link. */
  byEmail: boolean
}

/** Finds the existing link of an identity; null before its first link. */
export const findLinkedIdentity = (accountId: string, { idpId, issuer }: Pick<ProvenIdentity, 'idpId' | 'issuer'>) =>
  findUnique(externalIdentities, accountId, 'external_identities.identity', identityOf(idpId, issuer))

/** True if a linked identity signs in without its email. For the portal, a portal provider must vouch for it (I3.5). */
const isSettled = ({ opens_portal }: ExternalIdentityRow, context: SignInContext): boolean =>
  context === 'client' || opens_portal

/** Finds a linked identity that signs in without its email; null if the email is needed. */
export async function findSettledIdentity(
  accountId: string,
  proven: Pick<ProvenIdentity, 'idpId' | 'issuer'>,
  context: SignInContext,
): Promise<ExternalIdentityRow | null> {
  const linked = await findLinkedIdentity(accountId, proven)
  return linked && isSettled(linked, context) ? linked : null
}

/** Finds the actor of a proven identity by its link, else by its verified email (I3.1, I3.2). @throws SignInRefused */
export async function findIdentity(
  accountId: string,
  proven: ProvenIdentity,
  context: SignInContext,
  provider: Pick<AuthProviderRow, 'context'> | null,
): Promise<FoundIdentity> {
  const linked = await findLinkedIdentity(accountId, proven)
  if (linked && isSettled(linked, context)) return { actorId: linked.actor_id, identity: linked, byEmail: false }
  if ('refusal' in proven.email) {
    const { refusal, claim } = proven.email
    throw new SignInRefused(refusal, null, claim === undefined ? {} : { claim })
  }
  const checked = checkEmail(proven.email.verified.trim())
  if (!('email' in checked)) throw new SignInRefused('email_invalid')
  const actor = await findUnique(actors, accountId, 'actors.email', foldAscii(checked.email))
  if (!actor) throw new SignInRefused('actor_unknown')
  if (actor.is_disabled) throw new SignInRefused('actor_disabled', actor.id)
  if (linked) {
    if (linked.actor_id !== actor.id) throw new SignInRefused('identity_not_vouched_for', linked.actor_id)
    return { actorId: actor.id, identity: linked, byEmail: true }
  }
  const uniqueValue = identityOfActor(actor.id, proven.issuer)
  const other = await findUnique(externalIdentities, accountId, 'external_identities.actor', uniqueValue)
  const isAdmin = actor.type === 'account_admin_user'
  // A link that nobody vouched for must not lock an administrator out of the portal.
  const isReplaced = isAdmin && other?.opens_portal === false && provider !== null && opensPortal(provider)
  if (isReplaced) return { actorId: actor.id, identity: other, byEmail: true }
  // A directory-owned identity is authoritative; signing in never reassigns it.
  if (other && other.directory_id !== null) throw new SignInRefused('identity_of_directory', actor.id)
  // Getting the address of an administrator at the provider makes nobody an administrator.
  if (other && isAdmin) throw new SignInRefused('identity_of_admin', actor.id)
  return { actorId: actor.id, identity: other, byEmail: true }
}

/** Identity of a person at a provider, proven by it or by a passcode (I2.3). */
export type ProvenIdentity = {
  issuer: string
  idpId: string
  /** Email to match on first sign-in (I3.2), or the refusal and the claim that is missing. */
  email: { verified: string } | { refusal: Refusal; claim?: string }
  profile: Partial<ProfileFields>
}

/**
 * Stages a proven identity (I3). A linked identity gets the current profile. A new one is linked to the actor of its
 * email, and opens the portal if the provider does (I3.5). A new subject first ends the tokens of the former one.
 * Returns `more` if these do not fit one commit.
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
  const ids = { actor_id: actorId, account_id: transaction.accountId, directory_id: null, synced_at: null }
  transaction.insert(externalIdentities, { ...ids, issuer, idp_id, opens_portal, ...emptyProfile, ...profile })
  return 'done'
}
