import { withoutSecrets } from '../../core/logging/describe-error.ts'

/** Upper bound of a description in the operator's log, in characters. */
const maxDescription = 500

const lowerEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())
const form = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
const base64 = (text: string): string[] => [
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('base64url'),
]

/** Spellings of a client secret in what is sent to a token endpoint, longest first. */
function spellings({ clientId, secret }: Credentials): string[] {
  const escaped = [encodeURIComponent(secret), form(secret)]
  const basic = base64(`${form(clientId)}:${form(secret)}`)
  const all = [secret, JSON.stringify(secret).slice(1, -1), ...escaped, ...escaped.map(lowerEscapes), ...basic]
  return [...all, ...base64(secret)].filter(Boolean).sort((a, b) => b.length - a.length)
}

type Credentials = { clientId: string; secret: string }

/**
 * The `error_description` of a provider for the operator's log: printable, bounded, without the client secret, tokens and email
 * addresses; undefined where there is none. It is shown to nobody else.
 */
export function descriptionForLog(description: unknown, credentials: Credentials): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return undefined
  const redacted = spellings(credentials).reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), description)
  const printable = withoutSecrets(redacted).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]+/gu, ' ')
  return [...printable.trim()].slice(0, maxDescription).join('')
}
