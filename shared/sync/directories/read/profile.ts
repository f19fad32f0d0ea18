import type { ExternalIdentityRow } from '../../../domain/external-identities/external-identity.ts'
import { emptyProfile, type ProfileFields, profileOf } from '../../../sign-in/identities/profile-fields.ts'

/** What a directory tells of a person, in the form in which a sign-in stores it, too (I3.4); what it does not tell is null. */
export const wholeProfile = (told: Record<string, unknown>): ProfileFields => ({ ...emptyProfile, ...profileOf(told) })

/** A name as it is stored: cut to 255 characters, null where nothing is left. */
export const nameOf = (told: unknown): string | null => profileOf({ name: told }).name ?? null

/** The profile fields of an identity. */
export const profileFields = (row: ExternalIdentityRow): ProfileFields =>
  Object.fromEntries(Object.keys(emptyProfile).map((name) => [name, row[name as keyof ProfileFields]])) as ProfileFields
