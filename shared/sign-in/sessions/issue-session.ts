import { commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { timestamp } from '../../core/clock.ts'
import { anonymous, type Origin } from '../../core/subject.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { limitOf, usageOf } from '../../domain/accounts/check-limit.ts'
import { type ActorRow, actors } from '../../domain/actors/actor.ts'
import { type AuthProviderRow, authProviders, type ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import { mintClientToken } from '../../domain/client-tokens/mint-client-token.ts'
import { mintPortalSession } from '../../domain/portal-sessions/mint-portal-session.ts'
import { sessionLogItems } from '../../logs/session-log.ts'
import { refusalOf } from '../refusals/refusal-of.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** Whose sign-in has been proven, by what, and for what. */
export type SignIn = {
  actorId: string
  /** `trust_version` is that of the time when the sign-in was proven, if that was earlier. */
  provider: { kind: ProviderKind; id: string; trust_version?: number }
  context: SignInContext
  origin: Origin
}

/** What a person gets who has signed in (I2.1); the token is shown this once. */
export type Issued = { token: string; expires_at: string; actor: Pick<ActorRow, 'id' | 'name' | 'email' | 'type'> }

/** The users limit is the one that clients' sessions are held against, too (A11). */
function isAboveUsersLimit(transaction: Transaction, account: AccountRow): boolean {
  const total = limitOf(account, 'users')
  return total !== null && usageOf((tally) => transaction.count(tally), 'users') > total
}

const lifetimes = { client: 'client_session_lifetime_secs', portal: 'portal_session_lifetime_secs' } as const

/** A sign-in that was admitted, with the rows that it was decided by. */
type Admitted = { signIn: SignIn; provider: AuthProviderRow; actor: ActorRow }

/**
 * Decides on the state of a commit whether an actor may sign in (I2.4).
 * @throws SignInRefused; then nothing of the commit may be written
 */
export async function admit(transaction: Transaction, signIn: SignIn): Promise<Admitted> {
  const {
    actorId,
    provider: { kind, id: providerId, trust_version },
    context,
  } = signIn
  const { accountId } = transaction
  const [account, provider, actor] = await Promise.all([
    transaction.get(accounts, accountId),
    transaction.get(authProviders[kind], providerId),
    transaction.get(actors, actorId),
  ])
  const aboveUsersLimit = account !== null && isAboveUsersLimit(transaction, account)
  const refusal = refusalOf({ account, kind, provider, actor, context, aboveUsersLimit })
  if (refusal || !provider || !actor) throw new SignInRefused(refusal ?? 'actor_unknown', actor?.id ?? null)
  if (trust_version !== undefined && trust_version !== provider.trust_version) {
    throw new SignInRefused('provider_changed', actor.id)
  }
  return { signIn, provider, actor }
}

/**
 * Stages the result of an admitted sign-in (I2.6): a client token, or a portal session with its log entry. The commit
 * is the one that admitted it.
 */
export async function stageSession(
  transaction: Transaction,
  { signIn: { context, origin }, provider, actor }: Admitted,
): Promise<Issued> {
  const fields = { auth_provider_id: provider.id, expires_at: endOf(provider, context, transaction.now) }
  const { id, name, email, type } = actor
  const { token, expires_at } =
    context === 'client'
      ? await mintClientToken(transaction, id, fields)
      : await openPortal(transaction, actor, fields, origin)
  return { token, expires_at, actor: { id, name, email, type } }
}

const endOf = (provider: AuthProviderRow, context: SignInContext, now: number): string =>
  timestamp(now + provider[lifetimes[context]] * 1_000_000)

async function openPortal(
  transaction: Transaction,
  actor: ActorRow,
  fields: { auth_provider_id: string; expires_at: string },
  origin: Origin,
) {
  const session = await mintPortalSession(transaction, actor.id, fields)
  const subject = {
    ...anonymous(origin),
    actor_id: actor.id,
    actor_name: actor.name,
    actor_type: actor.type,
    actor_email: actor.email,
    auth_provider_id: session.auth_provider_id,
    token_id: session.id,
  }
  const entry = { context: 'portal', subject, at: transaction.now } as const
  for (const item of sessionLogItems(transaction.accountId, entry)) transaction.put(item)
  return session
}

/** Admits an actor and gives the session in a commit of its own. A sign-in is the service's own work, so its changes have no subject (L5). */
export const issueSession = (accountId: string, signIn: SignIn): Promise<Issued> =>
  commit({ accountId, subject: null }, async (transaction) =>
    stageSession(transaction, await admit(transaction, signIn)),
  )
