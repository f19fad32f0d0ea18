import type { AccountRow } from '../../domain/accounts/account.ts'
import { limitOf, usageOf } from '../../domain/accounts/check-limit.ts'
import { type ActorRow, hasPortalAccess, isPerson } from '../../domain/actors/actor.ts'
import type { AuthProviderRow, ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import { isInDomains } from '../../values/email.ts'
import { allowsContext, type SignInContext } from '../sign-in-context.ts'
import type { Refusal } from './sign-in-refused.ts'

type Facts = {
  account: Pick<AccountRow, 'is_disabled'> | null
  kind: ProviderKind
  provider: Pick<AuthProviderRow, 'is_disabled' | 'context' | 'domains'> | null
  actor: Pick<ActorRow, 'is_disabled' | 'type' | 'email' | 'allow_email_otp_sign_in' | 'portal_scopes'> | null
  context: SignInContext
  aboveUsersLimit: boolean
}

function findActorRefusal(actor: Facts['actor'], context: SignInContext): Refusal | null {
  if (!actor) return 'actor_unknown'
  if (actor.is_disabled) return 'actor_disabled'
  if (!isPerson(actor.type)) return 'actor_type'
  return context === 'portal' && !hasPortalAccess(actor) ? 'actor_not_admin' : null
}

/** Returns the first reason why an actor may not open the portal without a provider (K2.7); null if the sign-in is allowed. */
export const findPortalRefusal = ({ account, actor }: Pick<Facts, 'account' | 'actor'>): Refusal | null =>
  !account || account.is_disabled ? 'account_disabled' : findActorRefusal(actor, 'portal')

/** Returns the first reason why a person may not sign in (I2.4); null if the sign-in is allowed. */
export function findRefusal({ account, kind, provider, actor, context, aboveUsersLimit }: Facts): Refusal | null {
  if (!account || account.is_disabled) return 'account_disabled'
  if (!provider || provider.is_disabled) return 'provider_disabled'
  if (!allowsContext(provider, context)) return 'provider_context'
  const actorRefusal = findActorRefusal(actor, context)
  if (actorRefusal || !actor) return actorRefusal
  // Checks the actor's email instead of a claim. At the first link, both are equal.
  if (!isInDomains(actor.email, provider.domains)) return 'email_domain_other'
  if (kind === 'email_otp' && !actor.allow_email_otp_sign_in) return 'email_otp_not_allowed'
  return context === 'client' && aboveUsersLimit ? 'above_users_limit' : null
}

/** True if an account has more enabled users than its limit, which blocks client sign-ins (A11). */
export function isAboveUsersLimit(account: AccountRow | null, count: (tally: string) => number): boolean {
  const total = account && limitOf(account, 'users')
  return total !== null && usageOf(count, 'users') > total
}
