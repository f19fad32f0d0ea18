import { checkEmail } from '../../../values/email.ts'
import type { DirectoryGroup, DirectoryUser } from '../../directory-adapter.ts'
import { isStorableId } from '../../read/is-storable-id.ts'
import { nameOf, wholeProfile } from './profile.ts'
import type { SnapshotGroup, SnapshotUser } from './snapshot.ts'

/** A person in the form in which it is stored, or why it cannot be. One without a usable email is skipped, unless it is named as not active. */
export function snapshotUser(user: DirectoryUser): SnapshotUser {
  const { idp_id, active } = user
  const profile = wholeProfile(user)
  if (!isStorableId(idp_id)) return { idp_id, name: profile.name, unusable: 'invalid_id' }
  if (!active) return { idp_id, active, ...profile }
  const checked = checkEmail(String(user.email ?? '').trim())
  const unusable = user.email ? 'invalid_email' : 'no_email'
  if (!('email' in checked)) return { idp_id, name: profile.name, unusable }
  return { idp_id, active, ...profile, email: checked.email }
}

/** A group in the form in which it is stored, or why it cannot be. */
export function snapshotGroup(group: DirectoryGroup): SnapshotGroup {
  const { idp_id, entity_type, membership_version, stated_members } = group
  const name = nameOf(group.name) ?? nameOf(idp_id) ?? '-'
  if (!isStorableId(idp_id)) return { idp_id, name, unusable: 'invalid_id' }
  return { idp_id, name, email: nameOf(group.email), entity_type, membership_version, stated_members }
}
