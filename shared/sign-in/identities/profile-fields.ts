import type { ExternalIdentityRow } from '../../domain/external-identities/external-identity.ts'

const texts = ['email', 'name', 'given_name', 'middle_name', 'family_name', 'nickname', 'preferred_username'] as const
const addresses = ['picture', 'profile', 'svc_avatar_url'] as const

export type ProfileFields = Pick<ExternalIdentityRow, (typeof texts)[number] | (typeof addresses)[number]>

const maxText = 255
const maxAddress = 2048

/** At most so many characters; what is no text, or blank, is null. */
function cut(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, 4 * maxText)
    .toWellFormed()
    .replaceAll('\0', '')
    .trim()
  return text === '' ? null : [...text].slice(0, maxText).join('').trimEnd()
}

/** An address that a portal can show; any other scheme than the web's could run when it is opened. */
function addressOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxAddress || !value.isWellFormed() || !URL.canParse(value))
    return null
  return ['https:', 'http:'].includes(new URL(value).protocol) ? value : null
}

/**
 * The profile fields that claims or a directory's user tell (I3.4). What they do not tell is missing here, so that it stays as
 * it is; what they tell and cannot be used is null.
 */
export function profileOf(claims: Record<string, unknown>): Partial<ProfileFields> {
  const told = (name: string) => claims[name] !== undefined
  return Object.fromEntries([
    ...texts.filter(told).map((name) => [name, cut(claims[name])]),
    ...addresses.filter(told).map((name) => [name, addressOf(claims[name])]),
  ])
}

/** The profile of a new identity. */
export const emptyProfile = Object.fromEntries([...texts, ...addresses].map((name) => [name, null])) as ProfileFields
