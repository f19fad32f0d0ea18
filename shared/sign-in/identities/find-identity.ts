import type { Transaction } from '../../commit/transaction.ts'
import { actors, hasPortalAccess } from '../../domain/actors/actor.ts'
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
  /** Existing identity to update; null if a new identity must be created. */
  identity: ExternalIdentityRow | null
  /** True if the verified email identified the actor, so that the provider can vouch for the link (I3.5). */
  byEmail: boolean
}

export const findLinkedIdentity = (accountId: string, { idpId, issuer }: Pick<ProvenIdentity, 'idpId' | 'issuer'>) =>
  findUnique(externalIdentities, accountId, 'external_identities.identity', identityOf(idpId, issuer))

const isSettled = ({ opens_portal }: ExternalIdentityRow, context: SignInContext): boolean =>
  context === 'client' || opens_portal

/** Finds a linked identity that can sign in without a verified email. For the portal, the link must be vouched for (I3.5). */
export async function findSettledIdentity(
  accountId: string,
  proven: Pick<ProvenIdentity, 'idpId' | 'issuer'>,
  context: SignInContext,
): Promise<ExternalIdentityRow | null> {
  const linked = await findLinkedIdentity(accountId, proven)
  return linked && isSettled(linked, context) ? linked : null
}

/**
 * Finds the actor to whom a proven identity is linked or, without a link, the actor with its verified email (I3.1, I3.2).
 * @throws SignInRefused
 */
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
  const opens = hasPortalAccess(actor)
  // A sign-in at a portal provider replaces an administrator's link that nobody vouched for. Otherwise, the link could lock out the
  // administrator (I3.5).
  const isReplaced = opens && other?.opens_portal === false && provider !== null && opensPortal(provider)
  if (isReplaced) return { actorId: actor.id, identity: other, byEmail: true }
  // A directory-owned identity is authoritative, so signing in never reassigns the identity.
  if (other && other.directory_id !== null) throw new SignInRefused('identity_of_directory', actor.id)
  // Refuses a new subject for an administrator's identity, because the subject could be another person with the same address.
  if (other && opens) throw new SignInRefused('identity_of_admin', actor.id)
  return { actorId: actor.id, identity: other, byEmail: true }
}

export type ProvenIdentity = {
  issuer: string
  idpId: string
  /** Verified email for the first link (I3.2). If there is none, the reason for the refusal and the claim that caused it. */
  email: { verified: string } | { refusal: Refusal; claim?: string }
  profile: Partial<ProfileFields>
}

/**
 * Creates or updates an actor's identity and its profile (I3). For a new identity or a sign-in by email, the provider determines whether
 * the identity opens the portal (I3.5). Deletes the tokens of a previous subject first. Returns `more` if these tokens do not fit into one
 * commit.
 */
export async function stageIdentity(
  transaction: Transaction,
  { actorId, identity, byEmail }: FoundIdentity,
  { issuer, idpId: idp_id, profile }: ProvenIdentity,
  provider: Pick<AuthProviderRow, 'context'>,
): Promise<'done' | 'more'> {
  const opens_portal = byEmail || !identity ? opensPortal(provider) : identity.opens_portal
  if (identity) {
    // An identity with a new subject no longer belongs to its directory.
    const directory_id = identity.idp_id === idp_id ? identity.directory_id : null
    return stageIdentityChange(transaction, identity, { idp_id, opens_portal, directory_id, ...profile })
  }
  const ids = { actor_id: actorId, account_id: transaction.accountId, directory_id: null, synced_at: null }
  transaction.insert(externalIdentities, { ...ids, issuer, idp_id, opens_portal, ...emptyProfile, ...profile })
  return 'done'
}
