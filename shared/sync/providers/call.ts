import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { ProviderFault } from '../adapter.ts'

export type ResponseFields = Record<string, unknown>

export type Call = {
  method?: 'GET' | 'POST'
  url: URL
  headers?: Record<string, string>
  /** True where the call resumes at a place in a list that the provider gave. */
  continues?: boolean
  /** True for a group that was found as a member of another, and may be another company's. */
  nested?: boolean
  /** Cost in the units of the provider's limits; 1 by default. */
  cost?: number
}

/** The answer of a provider as it was sent; `json` is undefined where it was no JSON. */
export type ProviderResponse = {
  status: number
  headers: Headers
  json: unknown
  /** Secrets that the provider was sent, and that it may repeat. */
  secrets: readonly string[]
}

/** A call with its answer; `body` are the fields of that. */
export type AnsweredCall = { call: Call; answer: ProviderResponse; body: ResponseFields }

export type AccessToken = { text: string; type: 'bearer' | 'dpop' }

/** The token of a run: requested when it is needed, and again before it ends. */
export type TokenSource = { current(): Promise<AccessToken>; drop(token: AccessToken): void }

/** Spaces calls out, so that a run never takes more than half of the provider's limits (I4.2). */
export type RequestPace = {
  /** Resolves when the call may be sent. @throws ProviderFault `retry` where that takes more than some seconds */
  wait(call: Call): Promise<void>
  record(call: Call, answer: ProviderResponse): void
}

export type Provider = {
  /** Secrets beside its tokens that must not show in its texts (I1.3). */
  secrets?: string[]
  tokens: TokenSource
  pace: RequestPace
  send(call: Call, token: AccessToken): Promise<Response>
  /** The fault of an unsuccessful answer (I6). */
  faultOf(call: Call, answer: ProviderResponse): ProviderFault
}

/** The name of a call in a sentence: without its query, which may be confidential. */
export const responseName = ({ method = 'GET', url }: Call): string => `${method} ${url.pathname}`

function toNoAnswerFault(call: Call, error: unknown): unknown {
  const outside = outsideErrorOf(error)
  if (!outside) return error
  // A forbidden address and an answer beyond all bounds would be the same on a retry.
  const passing = outside.reason === 'timeout' || outside.reason === 'unreachable'
  const sentence = `${responseName(call)} got no response: ${outside.message}`
  return new ProviderFault(passing ? 'retry' : 'transient', sentence, { cause: error })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a call and reads its answer. A successful one without JSON is broken. @throws ProviderFault for no answer */
export async function exchange(
  call: Call,
  send: () => Promise<Response>,
  secrets: string[],
): Promise<ProviderResponse> {
  try {
    const response = await send()
    const json = parseJson(await response.text())
    if (response.ok && json === undefined) {
      throw new ProviderFault(
        'retry',
        `${responseName(call)} answered ${response.status} with a body that is not JSON.`,
      )
    }
    return { status: response.status, headers: response.headers, json, secrets }
  } catch (error) {
    throw toNoAnswerFault(call, error)
  }
}

/** Sends a call once, and once more with a new token where the token had ended. @throws ProviderFault */
async function sendAuthorized(provider: Provider, call: Call): Promise<ProviderResponse> {
  for (let renewed = false; ; renewed = true) {
    await provider.pace.wait(call)
    const token = await provider.tokens.current()
    const answer = await exchange(call, () => provider.send(call, token), [...(provider.secrets ?? []), token.text])
    provider.pace.record(call, answer)
    if (answer.status >= 200 && answer.status < 300) return answer
    const fault = provider.faultOf(call, answer)
    if (!fault.isTokenExpired || renewed) throw fault
    provider.tokens.drop(token)
  }
}

/** Requests an address with a query, of which null is left out. @throws ProviderFault */
export async function get(
  provider: Provider,
  address: string,
  query: Record<string, string | null> = {},
  extra: Omit<Call, 'url'> = {},
): Promise<AnsweredCall> {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value)
  const call: Call = { url, ...extra }
  const answer = await sendAuthorized(provider, call)
  return { call, answer, body: fieldsOf(answer.json) }
}

export const bearer =
  (fetch: GuardedFetch): Provider['send'] =>
  ({ method = 'GET', url, headers }, { text }) =>
    fetch(url, { method, headers: { accept: 'application/json', ...headers, authorization: `Bearer ${text}` } })
