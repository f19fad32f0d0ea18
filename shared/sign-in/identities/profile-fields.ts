import type { ExternalIdentityRow } from '../../domain/external-identities/external-identity.ts'

const texts = ['email', 'name', 'given_name', 'middle_name', 'family_name', 'nickname', 'preferred_username'] as const
const addresses = ['picture', 'profile', 'svc_avatar_url'] as const

export type ProfileFields = Pick<ExternalIdentityRow, (typeof texts)[number] | (typeof addresses)[number]>

const maxText = 255
const maxAddress = 2048

function truncate(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, 4 * maxText)
    .toWellFormed()
    .replaceAll('\0', '')
    .trim()
  return text === '' ? null : [...text].slice(0, maxText).join('').trimEnd()
}

/** Returns an HTTP or HTTPS address. Null for other schemes, which could run code when a portal opens the address. */
function addressOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxAddress || !value.isWellFormed() || !URL.canParse(value))
    return null
  return ['https:', 'http:'].includes(new URL(value).protocol) ? value : null
}

/** Returns the profile fields from claims or from a directory user (I3.4). Absent claims are omitted; unusable claims are null. */
export function profileOf(claims: Record<string, unknown>): Partial<ProfileFields> {
  const isGiven = (name: string) => claims[name] !== undefined
  return Object.fromEntries([
    ...texts.filter(isGiven).map((name) => [name, truncate(claims[name])]),
    ...addresses.filter(isGiven).map((name) => [name, addressOf(claims[name])]),
  ])
}

export const emptyProfile = Object.fromEntries([...texts, ...addresses].map((name) => [name, null])) as ProfileFields
