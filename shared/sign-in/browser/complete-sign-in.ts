import { invokeLater } from '../../core/aws/lambda.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { ApiError } from '../../core/errors.ts'
import { note } from '../../core/logging/invocation.ts'
import { isTransient } from '../../core/transient-error.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { readCounts } from '../../domain/accounts/store.ts'
import { actors } from '../../domain/actors/actor.ts'
import { authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { forgetFault, lastFaultKey } from '../../domain/auth-providers/last-fault.ts'
import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import { putItem } from '../../table/put-item.ts'
import { getRow } from '../../table/read.ts'
import { findIdentity, findSettledIdentity } from '../identities/find-identity.ts'
import { mintOneTimeToken, oneTimeItem, readOneTimeToken, takeOneTimeItem } from '../one-time-token.ts'
import type { PasscodeOrder } from '../passcodes/send-passcode.ts'
import { descriptionForLog, exchangeCode, safeErrorCode } from '../providers/exchange-code.ts'
import {
  type ClaimedIdentity,
  emailToProve,
  identityOfClaims,
  neededClaims,
  subjectIn,
  withUserinfo,
} from '../providers/identity-claims.ts'
import { decryptProofs, lacksChoice, type PendingSignIn } from '../providers/pending-sign-in.ts'
import { type App, fetchDocument, findApp } from '../providers/provider-app.ts'
import { withParameters } from '../providers/redirect-uri.ts'
import { findRefusal, isAboveUsersLimit } from '../refusals/find-refusal.ts'
import { noteRefusal, toProviderFault } from '../refusals/refusal-cause.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { beginAtProvider, noteFailure, type UsedProvider } from './begin-at-provider.ts'
import { codeMicros, type SignInCode } from './sign-in-code.ts'

/** Budget for all requests to a provider, below the 29 seconds of the function. */
const timeBudgetMs = 20_000

/** Consumes the pending sign-in of a provider's answer, which is valid once. @throws ApiError 400 */
async function takePending(query: URLSearchParams) {
  const states = query.getAll('state')
  const token = states.length === 1 ? readOneTimeToken(states[0] ?? '', 'pending') : null
  const pending = token && (await takeOneTimeItem<PendingSignIn>(token.key, clock.now()))
  if (!token || !pending) {
    noteRefusal(token?.accountId ?? null, new SignInRefused('state_unknown'))
    throw new ApiError('bad_request', 'This sign-in is unknown, expired or already completed. Start it again.')
  }
  note({ account_id: token.accountId })
  return { ...token, pending, text: states[0] ?? '' }
}

/** Pending sign-in after the person's return, with the current provider and app. */
type ReturnedSignIn = UsedProvider & { accountId: string; pending: PendingSignIn }

/** Current provider and its app. @throws SignInRefused if it was disabled or changed meanwhile */
async function readProvider(accountId: string, { provider, issuer, context }: PendingSignIn): Promise<UsedProvider> {
  const [account, row] = await Promise.all([
    getRow(accounts, accountId, accountId),
    getRow(authProviders[provider.kind], accountId, provider.id),
  ])
  // Checks everything except the actor, who is not known yet, before the app's secret is used.
  const facts = { account, kind: provider.kind, provider: row, actor: null, context, aboveUsersLimit: false }
  const refusal = findRefusal(facts)
  if (!account || !row || refusal !== 'actor_unknown') throw new SignInRefused(refusal ?? 'provider_disabled')
  const app = findApp(provider.kind, row)
  if (!app) throw new SignInRefused('provider_not_configured')
  if (app.issuer !== issuer) throw new SignInRefused('provider_changed')
  return { kind: provider.kind, row, app }
}

/** Identifies the person. Requests userinfo only for needed claims that the ID token lacks (I2.3). */
async function identify(returned: ReturnedSignIn, query: URLSearchParams, state: string): Promise<ClaimedIdentity> {
  const { accountId, kind, row, app } = returned
  const { context, callback_uri: callbackUri, sealed } = returned.pending
  const proofs = decryptProofs(state, sealed)
  const end = clock.monotonic() + timeBudgetMs
  const left = () => Math.max(1, end - clock.monotonic())
  const fetch: GuardedFetch = (address, request) => guardedFetch({ timeoutMs: left() })(address, request)
  const document = await fetchDocument(app, left())
  const { claims, userinfo } = await exchangeCode({ app, query, state, callbackUri, proofs, document, fetch })
  const needed = neededClaims(kind, row)
  const idpId = subjectIn(kind, claims)
  const subject = { idpId: idpId ?? '', issuer: row.issuer }
  const isSettled = idpId !== null && (await findSettledIdentity(accountId, subject, context)) !== null
  const names = isSettled ? needed.always : [...needed.always, ...needed.toLink]
  if (userinfo === null || names.every((name) => claims[name] !== undefined)) return identityOfClaims(kind, row, claims)
  return identityOfClaims(kind, row, withUserinfo(claims, await userinfo()))
}

/** Checks the person before a code is issued. Redeeming the code checks again. @throws SignInRefused */
async function checkPerson(
  { accountId, pending, kind, row }: ReturnedSignIn,
  identity: ClaimedIdentity,
): Promise<void> {
  const { context } = pending
  const [{ actorId }, account, provider, counts] = await Promise.all([
    findIdentity(accountId, identity, context, row),
    getRow(accounts, accountId, accountId),
    getRow(authProviders[kind], accountId, row.id),
    readCounts(accountId),
  ])
  const actor = await getRow(actors, accountId, actorId)
  const aboveUsersLimit = isAboveUsersLimit(account, (tally) => counts[tally] ?? 0)
  const refusal = findRefusal({ account, kind, provider, actor, context, aboveUsersLimit })
  if (refusal) throw new SignInRefused(refusal, actorId)
}

/** Issues the code for the redirect. With `proof_required`, it also needs a mailed passcode. @throws SignInRefused */
async function issueCode(returned: ReturnedSignIn, identity: ClaimedIdentity): Promise<Record<string, string>> {
  const { accountId, row } = returned
  const { context, code_challenge } = returned.pending
  const email = await emailToProve(accountId, identity, context)
  if (email === null) await checkPerson(returned, identity)
  const { text, key } = mintOneTimeToken(accountId, 'code')
  const provider = { ...returned.pending.provider, trust_version: row.trust_version }
  const content: SignInCode = { provider, context, code_challenge, identity }
  await putItem(oneTimeItem(key, clock.now() + codeMicros[email === null ? 'alone' : 'withPasscode'], content))
  if (email === null) return { code: text }
  // The address is looked up asynchronously, so that the response reveals nothing.
  const proof = { purpose: 'proof', provider_id: provider.id, code: key.sk } as const
  const order: PasscodeOrder = { account_id: accountId, email, context, ...proof }
  await invokeLater(env.passcodeFunction, order)
  return { proof_required: 'true', code: text }
}

/**
 * Completes a sign-in with the provider's answer (I2.2). Redirects to the caller with a code or an error, which
 * distinguishes provider faults from refusals.
 * @param path path of the callback, which contains the provider
 * @throws ApiError 400 without a pending sign-in; `unavailable` after a transient error
 */
export async function completeSignIn(path: string, query: URLSearchParams): Promise<{ location: string }> {
  const { accountId, pending, text } = await takePending(query)
  const redirectBack = (parameters: Record<string, string>) => ({
    location: withParameters(pending.redirect_uri, { state: pending.state, ...parameters }),
  })
  try {
    // Mix-up defence: a response at another provider's callback has a code of that provider (docs/decisions/0021).
    if (!pending.callback_uri.endsWith(path)) throw new SignInRefused('callback_other', null, { at: 'authorization' })
    const returned = { accountId, pending, ...(await readProvider(accountId, pending)) }
    const { kind, row, app } = returned
    if (lacksChoice(pending.prompt, query)) {
      const { context, redirect_uri, state, code_challenge, callback_uri } = pending
      const started = { context, redirect_uri, state, code_challenge, callback_uri }
      return { location: (await beginAtProvider(accountId, returned, started, 'login')).url }
    }
    await checkAnswer(query, app)
    const parameters = await issueCode(returned, await identify(returned, query, text))
    // With a passcode outstanding, the sign-in has not succeeded yet.
    if (parameters.proof_required === undefined) await forgetFault(lastFaultKey(accountId, kind, row.id))
    return redirectBack(parameters)
  } catch (error) {
    // The state is used up, so a retry of this request cannot succeed.
    if (isTransient(error) || (error instanceof ApiError && error.code === 'unavailable'))
      throw new ApiError('unavailable', 'The sign-in was interrupted. Start it again.', { cause: error })
    if (!(error instanceof SignInRefused)) throw error
    await noteFailure(accountId, pending.provider, error)
    return redirectBack({ error: toProviderFault(error)?.error ?? 'access_denied' })
  }
}

/** Errors about the person, who cancelled or was rejected (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6). */
const declinedErrors = [
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]

/** Checks that the response has exactly one code and no error. @throws SignInRefused */
async function checkAnswer(query: URLSearchParams, app: App): Promise<void> {
  const error = query.get('error')
  if (error !== null) {
    const subcode = query.get('error_subcode')
    const text = query.get('error_description')
    const description = text && descriptionForLog(text, { clientId: app.clientId, secret: await app.secret() })
    throw new SignInRefused(declinedErrors.includes(error) ? 'declined' : 'provider_refused', null, {
      at: 'authorization',
      error: safeErrorCode(error),
      ...(subcode !== null && { subcode: safeErrorCode(subcode) }),
      ...(description && { description }),
    })
  }
  if (query.getAll('code').length !== 1) throw new SignInRefused('provider_answer', null, { at: 'authorization' })
}
