import { hash } from 'node:crypto'
import type { ExternalIdentityRow } from '../../../domain/external-identities/external-identity.ts'
import type { ProfileFields as Profile } from '../../../sign-in/identities/profile-fields.ts'
import { profileFields } from '../read/profile.ts'
import type { SnapshotUser } from '../read/snapshot.ts'
import type { IdentityEntry, UserEntry } from './directory-plan.ts'

/** A person of a snapshot who could be used. */
export type UsableUser = Extract<SnapshotUser, { active: boolean }>

export const profileHash = (profile: Profile): string =>
  hash('sha1', JSON.stringify(Object.entries(profile).sort()), 'base64')

export const profileOfUser = ({ idp_id: _idpId, active: _active, ...profile }: UsableUser): Profile => profile

/** A person who gets the identity `over`, whose row this is, or a new one, and is the actor `known`, if anybody yet. */
export const userEntry = (
  user: UsableUser,
  over: { id: string } | null,
  row: ExternalIdentityRow | null,
  known: string | null,
): UserEntry => ({
  idp_id: user.idp_id,
  profile: profileOfUser(user),
  over: over?.id ?? null,
  known,
  was: row && { idp_id: row.idp_id, ...profileFields(row) },
})

export const identityEntry = ({ id, idp_id, name, email }: ExternalIdentityRow): IdentityEntry => ({
  id,
  idp_id,
  name,
  email,
})
