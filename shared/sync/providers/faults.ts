import { clock } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { type FaultClass, ProviderFault } from '../adapter.ts'
import { type AnsweredCall, type Call, type ProviderResponse, type ResponseFields, responseName } from './call.ts'
import { maskSecrets } from './mask-secrets.ts'
import { textOrNull } from './rows.ts'

const maxShown = 300

/** Shortens a provider's error messages for use in a sentence. Removes line breaks, tokens and secrets. */
export function excerptForOperator({ secrets }: Pick<ProviderResponse, 'secrets'>, ...parts: unknown[]): string {
  const texts = parts.filter((part): part is string | number => typeof part === 'string' || typeof part === 'number')
  const text = texts.map(String).filter(Boolean).join(': ')
  const clean = maskSecrets(text, secrets, maxShown)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/\beyJ[\w-]+(\.[\w-]*)*/g, '[token]')
    .replace(/\b(bearer|basic|dpop|ssws)\s+[\w+/=.~-]+/gi, '$1 [token]')
    .trim()
  return text.length > maxShown || clean.length > maxShown ? `${clean.slice(0, maxShown - 1)}…` : clean
}

/** Returns the provider's current time in milliseconds since 1970, or the local time if the response has no `Date` header. */
export function providerNow(headers: Headers): number {
  const providerTime = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(providerTime) ? clock.monotonic() : providerTime
}

/**
 * Parses `Retry-After`, which contains either seconds or a date according to the provider's clock. Returns milliseconds, or undefined if
 * there is no valid value.
 */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000
  const wait = Date.parse(value) - providerNow(headers)
  return wait >= 0 ? wait : undefined
}

/** Rule that classifies unsuccessful responses. The first matching rule of a provider determines the fault. */
export type FaultRule = {
  /** Statuses to which the rule applies; all statuses by default. */
  status?: readonly number[]
  when?(answered: AnsweredCall): boolean
  is: FaultClass | 'token_expired'
  advice?: string | ((answered: AnsweredCall) => string | undefined)
  reason?: 'gone' | 'foreign_group'
  retryAfterMs?(answer: ProviderResponse): number | undefined
}

/** Rules for all providers, applied after the provider-specific rules. */
const commonRules: FaultRule[] = [
  {
    when: ({ answer: { status } }) => status === 408 || status === 429 || status >= 500,
    is: 'retry',
    retryAfterMs: ({ headers }) => retryAfterMs(headers),
  },
  { status: [400, 410], when: ({ call }) => call.continues === true, is: 'position_lost' },
  {
    when: ({ answer }) => Math.floor(answer.status / 100) === 3,
    is: 'transient',
    advice: 'redirects are not followed',
  },
  { is: 'transient' },
]

/** Creates a classifier of unsuccessful responses (I6). `words` extracts the descriptive strings from an error body. */
export const faultClassifier =
  (words: (body: ResponseFields) => unknown[], rules: FaultRule[]) =>
  (call: Call, answer: ProviderResponse): ProviderFault => {
    const answered = { call, answer, body: fieldsOf(answer.json) }
    const matches = ({ status, when }: FaultRule) =>
      (status?.includes(answer.status) ?? true) && (when?.(answered) ?? true)
    const { is, advice, reason, retryAfterMs } = [...rules, ...commonRules].find(matches) as FaultRule
    const excerpt = excerptForOperator(answer, ...words(answered.body))
    const help = typeof advice === 'function' ? advice(answered) : advice
    const sentence = `${responseName(call)} returned ${answer.status}${excerpt && ` (${excerpt})`}${help ? `: ${help}` : ''}.`
    return new ProviderFault(is === 'token_expired' ? 'fatal' : is, sentence, {
      reason,
      retryAfterMs: retryAfterMs?.(answer),
      isTokenExpired: is === 'token_expired',
    })
  }

export const providerRefusals = [400, 401, 403]

/** Creates a classifier of a token endpoint's errors (RFC 6749, 5.2). */
export const tokenFaultClassifier = (rules: FaultRule[]) =>
  faultClassifier(({ error, error_description }) => [textOrNull(error), textOrNull(error_description)], rules)
