import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { ProviderFault } from '../adapter.ts'

export type ResponseFields = Record<string, unknown>

export type Call = {
  method?: 'GET' | 'POST'
  url: URL
  headers?: Record<string, string>
  /** True if the call reads a page from a position that an earlier response returned. */
  continues?: boolean
  /** True if the call reads an object that may belong to a different company, such as a nested group. */
  nested?: boolean
  /** Cost in units of the provider's rate limit; 1 by default. */
  cost?: number
}

/** Response of a provider before validation. `json` is undefined if the body is not JSON. */
export type ProviderResponse = {
  status: number
  headers: Headers
  json: unknown
  /** Secrets in the request, which the response may repeat. */
  secrets: readonly string[]
}

export type AnsweredCall = { call: Call; answer: ProviderResponse; body: ResponseFields }

export type AccessToken = { text: string; type: 'bearer' | 'dpop' }

/** Source of access tokens. `current` requests a token on first use and before the last one expires; `drop` discards a rejected token. */
export type TokenSource = { current(): Promise<AccessToken>; drop(token: AccessToken): void }

/** Limits the rate of calls, so that a run uses at most half of the provider's limits (I4.2). */
export type RequestPace = {
  /**
   * Resolves when the call may be sent.
   * @throws ProviderFault `retry` if the wait would exceed a few seconds
   */
  wait(call: Call): Promise<void>
  record(call: Call, answer: ProviderResponse): void
}

export type Provider = {
  /** Secrets, besides the tokens, that must not appear in error messages (I1.3). */
  secrets?: string[]
  tokens: TokenSource
  pace: RequestPace
  send(call: Call, token: AccessToken): Promise<Response>
  faultOf(call: Call, answer: ProviderResponse): ProviderFault
}

/** Returns the name of a call for error messages. Omits the query, which may be confidential. */
export const responseName = ({ method = 'GET', url }: Call): string => `${method} ${url.pathname}`

function toNoAnswerFault(call: Call, error: unknown): unknown {
  const outside = outsideErrorOf(error)
  if (!outside) return error
  // Retries only after a timeout or for an unreachable host. A forbidden address or an oversized response would fail again.
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

/**
 * Sends a request and parses its response.
 * @throws ProviderFault if there is no response, or if a successful response is not JSON
 */
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
        `${responseName(call)} returned ${response.status} with a body that is not JSON.`,
      )
    }
    return { status: response.status, headers: response.headers, json, secrets }
  } catch (error) {
    throw toNoAnswerFault(call, error)
  }
}

/**
 * Sends a call, and repeats it once with a new token if the token has expired.
 * @throws ProviderFault
 */
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

/**
 * Sends a GET request. Omits query parameters that are null.
 * @throws ProviderFault
 */
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
