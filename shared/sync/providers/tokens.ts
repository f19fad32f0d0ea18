import { clock } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { ProviderFault } from '../adapter.ts'
import {
  type AccessToken,
  type Call,
  exchange,
  type Provider,
  type ProviderResponse,
  responseName,
  type TokenSource,
} from './call.ts'
import { textOrNull } from './rows.ts'

export type NewToken = { token: AccessToken; lifetimeMs: number }

/** Minimum remaining lifetime of a cached token, in milliseconds. A token with less could expire in transit. */
const minLeftMs = 60_000

/** Caches a token. Concurrent callers share a pending request. If the request fails, the next caller repeats it. */
export function tokenSource(request: () => Promise<NewToken>): TokenSource {
  let cached: { token: AccessToken; until: number } | null = null
  let pending: Promise<AccessToken> | null = null
  const renew = async () => {
    try {
      const { token, lifetimeMs: livesMs } = await request()
      cached = { token, until: clock.monotonic() + livesMs - minLeftMs }
      return token
    } finally {
      pending = null
    }
  }
  return {
    async current() {
      if (cached && cached.until > clock.monotonic()) return cached.token
      pending ??= renew()
      return pending
    },
    drop(token) {
      if (cached?.token === token) cached = null
    },
  }
}

/**
 * Parses a token response (RFC 6749, 5.1).
 * @throws ProviderFault `retry` if a successful response has no token
 */
export function parseToken(call: Call, answer: ProviderResponse, faultOf: Provider['faultOf']): NewToken {
  if (answer.status !== 200) throw faultOf(call, answer)
  const { access_token, token_type, expires_in } = fieldsOf(answer.json)
  const text = textOrNull(access_token)
  const type = textOrNull(token_type)?.toLowerCase()
  if (!text || (type !== 'bearer' && type !== 'dpop')) {
    throw new ProviderFault('retry', `${responseName(call)} returned no token.`)
  }
  const seconds = Number(expires_in)
  return { token: { text, type }, lifetimeMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0 }
}

/**
 * Creates a source of tokens that are requested with a form. `secret` is the credential in the form, which error messages must not repeat.
 */
export function formTokenSource(
  address: string,
  fetch: GuardedFetch,
  faultOf: Provider['faultOf'],
  formOf: () => { form: Record<string, string>; secret: string },
): TokenSource {
  const call: Call = { method: 'POST', url: new URL(address) }
  return tokenSource(async () => {
    const { form, secret } = formOf()
    const send = () => fetch(call.url, { method: 'POST', body: new URLSearchParams(form) })
    return parseToken(call, await exchange(call, send, [secret]), faultOf)
  })
}
