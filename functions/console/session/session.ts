import { createContext, useContext } from 'react'
import type { Operations } from '../client/api-types.ts'
import { Problem, toProblem } from '../client/problem.ts'
import { queryClient } from '../client/queries.ts'
import { connect, send } from '../client/request.ts'
import { createStore } from '../parts/store.ts'
import { texts } from '../texts/texts.ts'
import { createSecret, oneTimeSignIn, type StartedSignIn, safeReturn, signInAddress } from './pkce.ts'

export type Session = Operations['GET /sign_in/session']['answer']['data']

/** Reason for which the page offers to sign in. */
export type SignInReason = 'start' | 'token' | 'ended' | 'idle' | 'denied' | 'failed' | 'used'

type SessionState =
  | { status: 'loading' }
  | { status: 'none'; reason: SignInReason }
  | { status: 'active'; session: Session }

export const sessionState = createStore<SessionState>({ status: 'loading' })

/** API token of this tab; null if the cookie authenticates. A reload forgets it (K3.5). */
let token: string | null = null

/** Code of a one-time sign-in, which `takeFragment` read before the first request. */
let oneTime: ReturnType<typeof oneTimeSignIn>

const startedKey = 'console-sign-in'
const tokenModeKey = 'console-token-mode'

export type Message = { type: 'ended'; reason: SignInReason } | { type: 'signed_in'; slug: string } | { type: 'input' }

/** Channel between the tabs of the console. */
export const tabs = new BroadcastChannel('console')
export const post = (message: Message): void => tabs.postMessage(message)

/** Reads the fragment and removes it from the address, so that no later page or history entry contains the code. */
export function takeFragment(): void {
  oneTime = oneTimeSignIn(location)
  if (location.hash) history.replaceState(null, '', location.pathname + location.search)
}

/** Waiting requests that were rejected with 401, and the promise that all of them share. */
type Renewal = { promise: Promise<void>; resolve: () => void; reject: (problem: Problem) => void }
export const renewal = createStore<Renewal | null>(null)

function renew(): Promise<void> {
  const running = renewal.get()
  if (running) return running.promise
  const next = Promise.withResolvers<void>()
  renewal.set(next)
  return next.promise
}

export function endRenewal(isSignedIn: boolean): void {
  const running = renewal.get()
  renewal.set(null)
  if (isSignedIn) running?.resolve()
  else running?.reject(new Problem(401, { code: 'unauthorized', detail: 'The session has ended.' }))
}

const slugOf = (): string => /^\/console\/([^/]+)/.exec(location.pathname)?.[1] ?? ''

export function connectSession(): void {
  connect({
    headers: (): Record<string, string> =>
      token === null ? { 'x-console': slugOf() } : { authorization: `Bearer ${token}` },
    renew,
  })
}

/** Reads the session of the current credential. */
export const readSession = async (): Promise<Session> => (await send('GET /sign_in/session', { path: {} })).answer.data

/**
 * Signs in with a pasted token.
 * @throws Problem if the token is not valid, or belongs to another account than the one with this slug
 */
export async function signInWithToken(pasted: string, slug?: string): Promise<Session> {
  const previous = token
  token = pasted.trim()
  try {
    // Authenticates before anything waits for a renewal: a 401 of this read is the answer.
    const response = await fetch('/account', { headers: { authorization: `Bearer ${token}` }, cache: 'no-store' })
    if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})))
    const session = await readSession()
    const other = session.account.slug
    if (slug !== undefined && slug !== other) throw new Problem(403, { detail: texts.signIn.otherAccount(other) })
    sessionStorage.setItem(tokenModeKey, 'true')
    return session
  } catch (error) {
    token = previous
    throw toProblem(error)
  }
}

export const activate = (session: Session): void => sessionState.set({ status: 'active', session })

/** Query of a tab that another tab opened to sign in again (K3.7). */
const renewalQuery = '?renewal'

/** Query of a link on the sign-in page, for a person who has an API token (K3.5). */
const tokenQuery = '?token'

export const openRenewalTab = (slug: string): void => {
  window.open(`/console/${slug}${renewalQuery}`)
}

/** Starts a sign-in at the sign-in page (K3.1). With `tab: new`, this tab closes at the end. */
export async function startSignIn(slug: string, tab: StartedSignIn['tab'] = 'same'): Promise<void> {
  const returnTo = location.pathname + location.search
  const started: StartedSignIn = { slug, state: createSecret(), verifier: createSecret(), returnTo, tab }
  sessionStorage.removeItem(tokenModeKey)
  const address = await signInAddress(location.origin, started)
  sessionStorage.setItem(startedKey, JSON.stringify(started))
  location.assign(address)
}

function takeStarted(): Partial<StartedSignIn> {
  const started: Partial<StartedSignIn> = JSON.parse(sessionStorage.getItem(startedKey) ?? '{}')
  sessionStorage.removeItem(startedKey)
  return started
}

type Finished = { returnTo: string; tab: StartedSignIn['tab']; slug: string } | { reason: SignInReason; slug: string }

/** Completes a sign-in with the parameters of `signed_in`. */
export async function finishSignIn(parameters: URLSearchParams): Promise<Finished> {
  const started = takeStarted()
  const { slug = '', verifier = '', returnTo = '', tab = 'same' } = started
  const code = parameters.get('code')
  if (!started.state || started.state !== parameters.get('state')) return { reason: 'failed', slug }
  if (parameters.get('error') === 'access_denied') return { reason: 'denied', slug }
  if (!code) return { reason: 'failed', slug }
  try {
    await send('POST /sign_in/session', { path: {}, body: { sign_in: { code, code_verifier: verifier } } })
    post({ type: 'signed_in', slug })
    return { returnTo: safeReturn(slug, returnTo), tab, slug }
  } catch (error) {
    return { reason: toProblem(error).status === 403 ? 'denied' : 'failed', slug }
  }
}

/** Ends the session in all tabs. Nothing of the account remains in memory. */
export async function endSession(reason: SignInReason, isOtherTab = false): Promise<void> {
  const isCookie = token === null
  token = null
  sessionStorage.removeItem(tokenModeKey)
  if (!isOtherTab) post({ type: 'ended', reason })
  if (!isOtherTab && isCookie) await send('DELETE /sign_in/session', { path: {} }).catch(() => undefined)
  queryClient.clear()
  sessionState.set({ status: 'none', reason })
}

export async function openSession(slug: string): Promise<SessionState> {
  const code = oneTime
  oneTime = undefined
  try {
    if (code) {
      const body = { sign_in: { code: code.code, code_verifier: code.verifier } }
      return { status: 'active', session: (await send('POST /sign_in/session', { path: {}, body })).answer.data }
    }
    if (location.search === renewalQuery) {
      await startSignIn(slug, 'new')
      return { status: 'loading' }
    }
    if (location.search === tokenQuery) {
      history.replaceState(null, '', safeReturn(slug, takeStarted().returnTo ?? ''))
      return { status: 'none', reason: 'token' }
    }
    if (sessionStorage.getItem(tokenModeKey)) return { status: 'none', reason: 'token' }
    return { status: 'active', session: await readSession() }
  } catch (error) {
    if (code) return { status: 'none', reason: 'used' }
    if (toProblem(error).status !== 401) return { status: 'none', reason: 'start' }
    await startSignIn(slug)
    return { status: 'loading' }
  }
}

export const SessionContext = createContext<Session | null>(null)

/**
 * Session of the signed-in person or token.
 * @throws Error outside of `SessionGate`
 */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('There is no session.')
  return session
}

/** True if the scopes of a session permit an action on a collection (A3.2). */
export const hasScope = ({ scopes }: Session, collection: string, action: 'read' | 'write'): boolean =>
  scopes.includes('*') ||
  scopes.includes(`${collection}:write`) ||
  (action === 'read' && (scopes.includes('*:read') || scopes.includes(`${collection}:read`)))
