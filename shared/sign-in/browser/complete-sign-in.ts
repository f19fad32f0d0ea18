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

/** Time limit in milliseconds for all requests to the provider together. Below the function's timeout of 29 seconds. */
const timeBudgetMs = 20_000

/**
 * Deletes and returns the pending sign-in of a callback, so that a second response is rejected.
 * @throws ApiError `bad_request` if the sign-in is unknown, expired or already completed
 */
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

type ReturnedSignIn = UsedProvider & { accountId: string; pending: PendingSignIn }

/** Reads the provider again, because it may have changed since the sign-in started. @throws SignInRefused */
async function readProvider(accountId: string, { provider, issuer, context }: PendingSignIn): Promise<UsedProvider> {
  const [account, row] = await Promise.all([
    getRow(accounts, accountId, accountId),
    getRow(authProviders[provider.kind], accountId, provider.id),
  ])
  // No actor is identified yet, so `actor_unknown` means that the account, provider and context passed their checks.
  const facts = { account, kind: provider.kind, provider: row, actor: null, context, aboveUsersLimit: false }
  const refusal = findRefusal(facts)
  if (!account || !row || refusal !== 'actor_unknown') throw new SignInRefused(refusal ?? 'provider_disabled')
  const app = findApp(provider.kind, row)
  if (!app) throw new SignInRefused('provider_not_configured')
  if (app.issuer !== issuer) throw new SignInRefused('provider_changed')
  return { kind: provider.kind, row, app }
}

/** Identifies the person. Requests userinfo only if the ID token lacks claims that this sign-in needs (I2.3). */
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

/**
 * Checks the person at the callback, so that the redirect can report a refusal. Redeeming the code repeats the check.
 * @throws SignInRefused
 */
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

/**
 * Creates the code for the redirect. With `proof_required`, redeeming the code also requires an emailed passcode.
 * @throws SignInRefused
 */
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
  // The mail function looks up the address asynchronously, so that the response does not reveal whether the address exists.
  const proof = { purpose: 'proof', provider_id: provider.id, code: key.sk } as const
  const order: PasscodeOrder = { account_id: accountId, email, context, ...proof }
  await invokeLater(env.passcodeFunction, order)
  return { proof_required: 'true', code: text }
}

/**
 * Completes a sign-in at the provider's callback (I2.2). Redirects to the caller with a code, or with an error that distinguishes provider
 * faults from refusals.
 * @param path path of the request, which must match the callback of the pending sign-in
 * @throws ApiError 400 without a pending sign-in; `unavailable` after a transient error
 */
export async function completeSignIn(path: string, query: URLSearchParams): Promise<{ location: string }> {
  const { accountId, pending, text } = await takePending(query)
  const redirectBack = (parameters: Record<string, string>) => ({
    location: withParameters(pending.redirect_uri, { state: pending.state, ...parameters }),
  })
  try {
    // Prevents mix-up attacks by rejecting a response that arrives at another provider's callback (docs/decisions/0021).
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
    // Keeps the provider's last fault while a passcode is still required, because the sign-in is not complete.
    if (parameters.proof_required === undefined) await forgetFault(lastFaultKey(accountId, kind, row.id))
    return redirectBack(parameters)
  } catch (error) {
    // The pending sign-in was already deleted, so the person must start again instead of retrying this request.
    if (isTransient(error) || (error instanceof ApiError && error.code === 'unavailable'))
      throw new ApiError('unavailable', 'The sign-in was interrupted. Start it again.', { cause: error })
    if (!(error instanceof SignInRefused)) throw error
    await noteFailure(accountId, pending.provider, error)
    return redirectBack({ error: toProviderFault(error)?.error ?? 'access_denied' })
  }
}

/**
 * Error codes with which a provider reports that the person cancelled or was rejected (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6).
 */
const declinedErrors = [
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]

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
