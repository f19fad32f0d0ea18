import { fieldsOf } from '../../core/json/is-object.ts'
import { ProviderFault } from '../provider-fault.ts'
import { type Answer, type Call, nameOf } from './call.ts'
import { textOf } from './rows-of.ts'
import type { NewToken } from './token-source.ts'

/** The token of an answer that says it has one (RFC 6749, 5.1). @throws ProviderFault `again` where it has none */
export function newTokenOf(call: Call, { json }: Answer): NewToken {
  const { access_token, token_type, expires_in } = fieldsOf(json)
  const text = textOf(access_token)
  const type = textOf(token_type)?.toLowerCase()
  if (!text || (type !== 'bearer' && type !== 'dpop')) {
    throw new ProviderFault('again', `${nameOf(call)} answered without a token.`)
  }
  const seconds = Number(expires_in)
  return { token: { text, type }, livesMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0 }
}

/** `error` and `error_description` of a token endpoint (RFC 6749, 5.2). */
export function tokenErrorOf({ json }: Answer): { error: string | null; description: string | null } {
  const { error, error_description } = fieldsOf(json)
  return { error: textOf(error), description: textOf(error_description) }
}
