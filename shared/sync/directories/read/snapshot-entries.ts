import { checkEmail } from '../../../values/email.ts'
import type { DirectoryGroup, DirectoryUser } from '../../directory-adapter.ts'
import { nameOf, wholeProfile } from './profile.ts'
import type { SnapshotGroup, SnapshotUser } from './snapshot.ts'

/** A person in the form in which it is stored. One without a usable email is skipped, unless it is named as not active. */
export function snapshotUser(user: DirectoryUser): SnapshotUser {
  const { idp_id, active } = user
  const profile = wholeProfile(user)
  if (!active) return { idp_id, active, ...profile }
  const checked = checkEmail(String(user.email ?? '').trim())
  const unusable = user.email ? 'invalid_email' : 'no_email'
  if (!('email' in checked)) return { idp_id, name: profile.name, unusable }
  return { idp_id, active, ...profile, email: checked.email }
}

export const snapshotGroup = (group: DirectoryGroup): SnapshotGroup => ({
  idp_id: group.idp_id,
  name: nameOf(group.name) ?? nameOf(group.idp_id) ?? '-',
  email: nameOf(group.email),
  entity_type: group.entity_type,
  membership_version: group.membership_version,
  stated_members: group.stated_members,
})
