import { waiting } from '../../core/work/waiting.ts'
import { type FaultClass, ProviderFault } from '../provider-fault.ts'
import { type Answer, type Call, nameOf } from './call.ts'
import { withoutSecrets } from './without-secrets.ts'

const maxShown = 300

/**
 * Texts of a provider's error as a part of a sentence: short, without line breaks, tokens and secrets that were sent.
 * Secrets are removed last, so that the error is classified as it was received.
 */
export function told({ secrets }: Pick<Answer, 'secrets'>, ...parts: unknown[]): string {
  const texts = parts.filter((part): part is string | number => typeof part === 'string' || typeof part === 'number')
  const text = texts.map(String).filter(Boolean).join(': ')
  const clean = withoutSecrets(text, secrets, maxShown)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/\beyJ[\w-]+(\.[\w-]*)*/g, '[token]')
    .replace(/\b(bearer|basic|dpop|ssws)\s+[\w+/=.~-]+/gi, '$1 [token]')
    .trim()
  return text.length > maxShown || clean.length > maxShown ? `${clean.slice(0, maxShown - 1)}…` : clean
}

/** One sentence that names the call and the answer (I6), and what an administrator can do where that is known. */
function sentenceOf(call: Call, { status }: Answer, said: string, advice?: string): string {
  const answered = `${nameOf(call)} answered ${status}${said && ` (${said})`}`
  return advice ? `${answered}: ${advice}.` : `${answered}.`
}

/** The fault of an answer. `said`: the provider's own words, of `told`. */
export function faultOf(
  faultClass: FaultClass,
  call: Call,
  answer: Answer,
  said: string,
  { advice, ...extra }: { advice?: string; retryAfterMs?: number; reason?: 'gone' | 'foreign_group' } = {},
): ProviderFault {
  return new ProviderFault(faultClass, sentenceOf(call, answer, said, advice), extra)
}

/** The instant by the provider's own clock, in milliseconds. */
export function theirNow(headers: Headers): number {
  const told = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(told) ? waiting.now() : told
}

/** Retry-After in milliseconds: seconds, or a date of the provider's own clock. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000
  const wait = Date.parse(value) - theirNow(headers)
  return wait >= 0 ? wait : undefined
}

/**
 * The faults that mean the same everywhere, by status: throttled and broken servers, a place in a list that is no
 * longer good, and everything that has no rule of its own. To be asked when the provider's own rules do not say.
 */
export function commonFault(call: Call, answer: Answer, said: string): ProviderFault {
  const { status, headers } = answer
  if (status === 408 || status === 429 || status >= 500) {
    return faultOf('again', call, answer, said, { retryAfterMs: retryAfterMs(headers) })
  }
  if (call.continues && (status === 400 || status === 410)) return faultOf('lost_place', call, answer, said)
  if (status >= 300 && status < 400) {
    return faultOf('transient', call, answer, said, { advice: 'redirects are not followed' })
  }
  return faultOf('transient', call, answer, said)
}
