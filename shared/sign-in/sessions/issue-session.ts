import * as v from 'valibot'
import { commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { timestamp } from '../../core/clock.ts'
import { anonymousSubject, type Origin } from '../../core/subject.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { type ActorRow, actors, actorTypes, portalScopesOf } from '../../domain/actors/actor.ts'
import { type AuthProviderRow, authProviders, type ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import { mintClientToken } from '../../domain/client-tokens/client-token.ts'
import { mintPortalSession } from '../../domain/portal-sessions/portal-session.ts'
import { sessionLogItems } from '../../logs/entries/log-store.ts'
import { findIdentity, type ProvenIdentity, stageIdentity } from '../identities/find-identity.ts'
import { findRefusal, isAboveUsersLimit } from '../refusals/find-refusal.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { type ConsoleSession, toConsoleSession } from './console-session.ts'

export type SignIn = {
  actorId: string
  /** `trust_version` when the identity was proven. The sign-in is refused if the current version differs. */
  provider: { kind: ProviderKind; id: string; trust_version?: number }
  context: SignInContext
  origin: Origin
}

const lifetimes = { client: 'client_session_lifetime_secs', portal: 'portal_session_lifetime_secs' } as const

type Admitted = { signIn: SignIn; provider: AuthProviderRow; account: AccountRow; actor: ActorRow }

/** Checks that an actor may sign in, based on the rows that the commit reads (I2.4). @throws SignInRefused, which aborts the commit */
async function admit(transaction: Transaction, signIn: SignIn): Promise<Admitted> {
  const { actorId, context } = signIn
  const { kind, id: providerId, trust_version } = signIn.provider
  const { accountId } = transaction
  const [account, provider, actor] = await Promise.all([
    transaction.get(accounts, accountId),
    transaction.get(authProviders[kind], providerId),
    transaction.get(actors, actorId),
  ])
  const aboveUsersLimit = isAboveUsersLimit(account, (tally) => transaction.count(tally))
  const refusal = findRefusal({ account, kind, provider, actor, context, aboveUsersLimit })
  if (refusal || !account || !provider || !actor) throw new SignInRefused(refusal ?? 'actor_unknown', actor?.id ?? null)
  if (trust_version !== undefined && trust_version !== provider.trust_version) {
    throw new SignInRefused('provider_changed', actor.id)
  }
  return { signIn, provider, account, actor }
}

async function stageSession(transaction: Transaction, admitted: Admitted): Promise<IssuedSession> {
  const { provider, account, actor } = admitted
  const { context, origin } = admitted.signIn
  const endsAt = transaction.now + provider[lifetimes[context]] * 1_000_000
  const fields = { auth_provider_id: provider.id, expires_at: timestamp(endsAt) }
  if (context === 'portal') return stagePortal(transaction, { account, actor, origin }, fields)
  const { id, name, email, type } = actor
  const { token, expires_at } = await mintClientToken(transaction, id, fields)
  return { token, expires_at, actor: { id, name, email, type }, state: null }
}

/** Stages a portal session and its log entry (I2.6). The caller has checked that the actor has portal access. */
export async function stagePortal(
  transaction: Transaction,
  { account, actor, origin }: { account: AccountRow; actor: ActorRow; origin: Origin },
  fields: { auth_provider_id: string | null; expires_at: string },
): Promise<IssuedSession> {
  const { token, id, expires_at, auth_provider_id } = await mintPortalSession(transaction, actor.id, fields)
  const subject = {
    ...anonymousSubject(origin),
    actor_id: actor.id,
    actor_name: actor.name,
    actor_type: actor.type,
    actor_email: actor.email,
    auth_provider_id,
    token_id: id,
  }
  const entry = { context: 'portal', subject, at: transaction.now } as const
  for (const item of sessionLogItems(transaction.accountId, entry)) transaction.put(item)
  const credential = { kind: 'portal_session', id, context: 'portal', auth_provider_id, expires_at } as const
  const scopes = portalScopesOf(actor)
  const state = toConsoleSession({ account, actor, credential, scopes, changeCount: transaction.leaves })
  return { token, expires_at, actor: state.actor, state }
}

/** Issues a session. The commit has no subject, because the service itself makes the change (L5). */
export const issueSession = (accountId: string, signIn: SignIn): Promise<IssuedSession> =>
  commit({ accountId, subject: null }, async (transaction) =>
    stageSession(transaction, await admit(transaction, signIn)),
  )

/** Result of a sign-in (I2.1). No other response body contains the token. */
export const Issued = v.object({
  token: v.string(),
  expires_at: v.string(),
  actor: v.object({ id: v.string(), name: v.string(), email: v.nullable(v.string()), type: v.picklist(actorTypes) }),
})
type Issued = v.InferOutput<typeof Issued>

/** Issued token with the state of its session, which the console shows instead of the token; null for a client token. */
export type IssuedSession = Issued & { state: ConsoleSession | null }

type ProvenSignIn = Omit<SignIn, 'actorId'> & {
  identity: ProvenIdentity
  /** Actor who received the passcode by email. No other actor can get the session. */
  mailedTo: string | undefined
}

/**
 * Stages one commit of a sign-in with a proven identity (I2.6, I3). Earlier commits delete the tokens of the identity's previous subject.
 * The last commit writes the identity and the session. In the last commit, `spend` stages the deletion of the code and the passcode.
 * @throws SignInRefused
 */
export async function stageSignIn(
  transaction: Transaction,
  { identity, mailedTo, ...signIn }: ProvenSignIn,
  spend: () => Promise<void>,
): Promise<{ done: IssuedSession } | 'more'> {
  const { kind, id } = signIn.provider
  const provider = await transaction.get(authProviders[kind], id)
  const found = await findIdentity(transaction.accountId, identity, signIn.context, provider)
  // Refuses the sign-in if the address has moved to another actor since the passcode was emailed.
  if (mailedTo !== undefined && found.actorId !== mailedTo) throw new SignInRefused('passcode', mailedTo)
  const admitted = await admit(transaction, { ...signIn, actorId: found.actorId })
  if ((await stageIdentity(transaction, found, identity, admitted.provider)) === 'more') return 'more'
  await spend()
  return { done: await stageSession(transaction, admitted) }
}
