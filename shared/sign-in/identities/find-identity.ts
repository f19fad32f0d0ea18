import { actors } from '../../domain/actors/actor.ts'
import { type AuthProviderRow, opensPortal } from '../../domain/auth-providers/auth-provider.ts'
import {
  type ExternalIdentityRow,
  externalIdentities,
  heldBy,
  identityOf,
} from '../../domain/external-identities/external-identity.ts'
import { findUnique } from '../../table/read.ts'
import { checkEmail } from '../../values/email.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import type { ProvenIdentity } from './proven-identity.ts'

/** The actor of a proven identity, and its row: null before the first link. */
export type FoundIdentity = {
  actorId: string
  identity: ExternalIdentityRow | null
  /** The verified email led to the actor, so the provider vouches for the link. */
  byEmail: boolean
}

/** The identity that was linked before; null before its first link. */
export const linkedIdentity = (accountId: string, { idpId, issuer }: Pick<ProvenIdentity, 'idpId' | 'issuer'>) =>
  findUnique(externalIdentities, accountId, 'external_identities.identity', identityOf(idpId, issuer))

/** Returns whether a linked identity signs in without its email: for the portal only where that was vouched for (I3.5). */
const isSettled = ({ opens_portal }: ExternalIdentityRow, context: SignInContext): boolean =>
  context === 'client' || opens_portal

/** The linked identity that signs in without its email; null where the email is needed. */
export async function settledIdentity(
  accountId: string,
  proven: Pick<ProvenIdentity, 'idpId' | 'issuer'>,
  context: SignInContext,
): Promise<ExternalIdentityRow | null> {
  const linked = await linkedIdentity(accountId, proven)
  return linked && isSettled(linked, context) ? linked : null
}

/**
 * Finds whom a proven identity belongs to (I3.1, I3.2): by itself, else by its verified email, ignoring case. Whether that
 * actor may sign in is not decided here.
 * @param provider what the person signs in with; null where it has been deleted since
 * @throws SignInRefused when it is nobody's
 */
export async function findIdentity(
  accountId: string,
  proven: ProvenIdentity,
  context: SignInContext,
  provider: Pick<AuthProviderRow, 'context'> | null,
): Promise<FoundIdentity> {
  const linked = await linkedIdentity(accountId, proven)
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
  const held = heldBy(actor.id, proven.issuer)
  const other = await findUnique(externalIdentities, accountId, 'external_identities.actor', held)
  const isAdmin = actor.type === 'account_admin_user'
  // A link that nobody vouched for must not lock an administrator out of the portal.
  const isReplaced = isAdmin && other?.opens_portal === false && provider !== null && opensPortal(provider)
  if (isReplaced) return { actorId: actor.id, identity: other, byEmail: true }
  // What a directory owns says who its user is; a sign-in does not hand that to another.
  if (other && other.directory_id !== null) throw new SignInRefused('identity_of_directory', actor.id)
  // Getting the address of an administrator at the provider makes nobody an administrator.
  if (other && isAdmin) throw new SignInRefused('identity_of_admin', actor.id)
  return { actorId: actor.id, identity: other, byEmail: true }
}
