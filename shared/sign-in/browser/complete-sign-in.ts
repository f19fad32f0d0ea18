import { invokeLater } from '../../core/aws/invoke-later.ts'
import { isPassing } from '../../core/aws/passing-error.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { ApiError } from '../../core/errors.ts'
import { note } from '../../core/logging/invocation.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { limitOf, usageOf } from '../../domain/accounts/check-limit.ts'
import { readCounts } from '../../domain/accounts/read-counts.ts'
import { actors } from '../../domain/actors/actor.ts'
import { type AuthProviderRow, authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { forgetFault, lastFaultKey } from '../../domain/auth-providers/last-fault.ts'
import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import type { Key } from '../../table/keys.ts'
import { getRow } from '../../table/read.ts'
import { findIdentity, settledIdentity } from '../identities/find-identity.ts'
import { mintOneTimeToken, oneTimeItem, readOneTimeToken, takeOneTime } from '../one-time-token.ts'
import type { PasscodeOrder } from '../passcodes/send-passcode.ts'
import { lacksChoice } from '../providers/account-prompt.ts'
import { emailToProve } from '../providers/email-to-prove.ts'
import { exchangeCode } from '../providers/exchange-code.ts'
import {
  type ClaimedIdentity,
  type Claims,
  claimsOf,
  identityOfClaims,
  subjectIn,
  withUserinfo,
} from '../providers/identity-claims.ts'
import { openProofs, type PendingSignIn, type Proofs } from '../providers/pending-sign-in.ts'
import { type App, appOf } from '../providers/provider-app.ts'
import { documentOf } from '../providers/provider-document.ts'
import { withParameters } from '../providers/redirect-uri.ts'
import { noteRefusal } from '../refusals/note-sign-in.ts'
import { redirectErrorOf } from '../refusals/redirect-error.ts'
import { refusalOf } from '../refusals/refusal-of.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { beginAtProvider } from './begin-at-provider.ts'
import { checkAnswer } from './check-answer.ts'
import { noteFailure } from './note-failure.ts'
import { codeMicros, type SignInCode } from './sign-in-code.ts'

/** For all that a provider is asked together: a browser waits, and the function that serves it ends after 29 seconds. */
const timeBudgetMs = 20_000

/** A time that ends, and a fetch whose calls end with it. */
function within(ms: number): { left(): number; fetch: GuardedFetch } {
  const end = performance.now() + ms
  const left = () => Math.max(1, end - performance.now())
  return { left, fetch: (address, request) => guardedFetch({ timeoutMs: left() })(address, request) }
}

const unknownState = () =>
  new ApiError('bad_request', 'This sign-in is not known, has expired, or was answered before. Start it again.')

/** The pending sign-in that a browser came back to, which nobody comes back to again. @throws ApiError 400 */
async function takePending(query: URLSearchParams) {
  const states = query.getAll('state')
  const token = states.length === 1 ? readOneTimeToken(states[0] ?? '', 'pending') : null
  const pending = token && (await takeOneTime<PendingSignIn>(token.key, clock.now()))
  if (!token || !pending) {
    noteRefusal(token?.accountId ?? null, new SignInRefused('state_unknown'))
    throw unknownState()
  }
  note({ account_id: token.accountId })
  return { ...token, pending, text: states[0] ?? '' }
}

/** The provider as it is now, with its app. @throws SignInRefused where people do not sign in with it any more */
async function providerOf(accountId: string, { provider, issuer, context }: PendingSignIn) {
  const [account, row] = await Promise.all([
    getRow(accounts, accountId, accountId),
    getRow(authProviders[provider.kind], accountId, provider.id),
  ])
  // Before its secret is used: the actor is not known yet.
  const facts = { account, kind: provider.kind, provider: row, actor: null, context, aboveUsersLimit: false }
  const refusal = refusalOf(facts)
  if (!account || !row || refusal !== 'actor_unknown') throw new SignInRefused(refusal ?? 'provider_disabled')
  const app = appOf(provider.kind, row)
  if (!app) throw new SignInRefused('provider_not_configured')
  if (app.issuer !== issuer) throw new SignInRefused('provider_changed')
  return { kind: provider.kind, row, app }
}

/**
 * An answer that came to the address of another provider than this sign-in was begun with: its code is another's, and goes
 * to nobody (docs/decisions/0021). @throws SignInRefused
 */
function checkCallback({ callback_uri }: PendingSignIn, path: string): void {
  // The address of the service can have a path of its own before it.
  if (!callback_uri.endsWith(path)) throw new SignInRefused('callback_other', null, { at: 'authorization' })
}

const hasAll = (claims: Claims, names: string[]): boolean => names.every((name) => claims[name] !== undefined)

/** Who signs in. Userinfo is asked only for what the ID token does not say and this sign-in needs (I2.3). */
async function identify(
  accountId: string,
  { provider: { kind }, context }: PendingSignIn,
  row: AuthProviderRow,
  answered: { app: App; query: URLSearchParams; state: string; callbackUri: string; proofs: Proofs },
): Promise<ClaimedIdentity> {
  const { left, fetch } = within(timeBudgetMs)
  const document = await documentOf(answered.app, left())
  const { claims, userinfo } = await exchangeCode({ ...answered, document, fetch })
  const needed = claimsOf(kind, row)
  const idpId = subjectIn(kind, claims)
  const subject = { idpId: idpId ?? '', issuer: row.issuer }
  const isSettled = idpId !== null && (await settledIdentity(accountId, subject, context)) !== null
  const names = isSettled ? needed.always : [...needed.always, ...needed.toLink]
  if (userinfo === null || hasAll(claims, names)) return identityOfClaims(kind, row, claims)
  return identityOfClaims(kind, row, withUserinfo(claims, await userinfo()))
}

/** Has a passcode mailed, if the address belongs to somebody who can sign in; that is found out later, and tells nobody here. */
async function orderProof(
  accountId: string,
  { provider: { id: provider_id }, context }: PendingSignIn,
  email: string,
  code: string,
): Promise<void> {
  const order: PasscodeOrder = { account_id: accountId, email, context, purpose: 'proof', provider_id, code }
  await invokeLater(env.passcodeFunction, order)
}

/** Whether the person may have a code; decided again when it is redeemed. @throws SignInRefused */
async function checkPerson(
  accountId: string,
  pending: PendingSignIn,
  row: AuthProviderRow,
  identity: ClaimedIdentity,
): Promise<void> {
  const { kind, id } = pending.provider
  const [{ actorId }, account, provider, counts] = await Promise.all([
    findIdentity(accountId, identity, pending.context, row),
    getRow(accounts, accountId, accountId),
    getRow(authProviders[kind], accountId, id),
    readCounts(accountId),
  ])
  const actor = await getRow(actors, accountId, actorId)
  const total = account && limitOf(account, 'users')
  const aboveUsersLimit = total !== null && usageOf((tally) => counts[tally] ?? 0, 'users') > total
  const refusal = refusalOf({ account, kind, provider, actor, context: pending.context, aboveUsersLimit })
  if (refusal) throw new SignInRefused(refusal, actorId)
}

async function codeFor(
  accountId: string,
  { provider: { kind, id }, context, code_challenge }: PendingSignIn,
  { trust_version }: AuthProviderRow,
  identity: ClaimedIdentity,
  micros: number,
): Promise<{ text: string; key: Key }> {
  const provider = { kind, id, trust_version }
  const { text, key } = mintOneTimeToken(accountId, 'code')
  const content: SignInCode = { provider, context, code_challenge, identity }
  const Item = oneTimeItem(key, clock.now() + micros, content)
  await table().send(new PutCommand({ TableName: tableName(), Item }))
  return { text, key }
}

/** Parameters that a verified person returns with: a code, which may need a passcode besides. @throws SignInRefused */
async function codeFrom(
  accountId: string,
  pending: PendingSignIn,
  row: AuthProviderRow,
  identity: ClaimedIdentity,
): Promise<Record<string, string>> {
  const email = await emailToProve(accountId, identity, pending.context)
  if (email !== null) {
    const code = await codeFor(accountId, pending, row, identity, codeMicros.withPasscode)
    await orderProof(accountId, pending, email, code.key.sk)
    return { proof_required: 'true', code: code.text }
  }
  await checkPerson(accountId, pending, row, identity)
  const code = await codeFor(accountId, pending, row, identity, codeMicros.alone)
  return { code: code.text }
}

/**
 * Completes a sign-in with the provider's answer that a browser brings (I2.2). Redirects to where it was begun, with a
 * code or an error. The error separates a fault of the provider from a refusal; the reason is only in the service's own
 * log.
 * @param path where the browser came back to, below the address of the service
 * @throws ApiError 400 when it belongs to no pending sign-in
 */
export async function completeSignIn(path: string, query: URLSearchParams): Promise<{ location: string }> {
  const { accountId, key, pending, text } = await takePending(query)
  const back = (parameters: Record<string, string>) => ({
    location: withParameters(pending.redirect_uri, { state: pending.state, ...parameters }),
  })
  try {
    checkCallback(pending, path)
    const provider = await providerOf(accountId, pending)
    const { kind, row, app } = provider
    if (lacksChoice(pending.prompt, query)) {
      const { context, redirect_uri, state, code_challenge, callback_uri } = pending
      const begun = { context, redirect_uri, state, code_challenge, callback_uri }
      return { location: (await beginAtProvider(accountId, provider, begun, 'login')).url }
    }
    await checkAnswer(query, app)
    const proofs = await openProofs(accountId, key.sk, pending.sealed)
    const answered = { app, query, state: text, callbackUri: pending.callback_uri, proofs }
    const parameters = await codeFrom(accountId, pending, row, await identify(accountId, pending, row, answered))
    // Before the passcode the person is nobody of the account.
    if (parameters.proof_required === undefined) await forgetFault(lastFaultKey(accountId, kind, row.id))
    return back(parameters)
  } catch (error) {
    // Its state is spent, so to come back with it again would not mend it.
    if (isPassing(error)) throw new ApiError('unavailable', 'The sign-in broke off. Start it again.', { cause: error })
    if (!(error instanceof SignInRefused)) throw error
    await noteFailure(accountId, pending.provider, error)
    return back({ error: redirectErrorOf(error) })
  }
}
