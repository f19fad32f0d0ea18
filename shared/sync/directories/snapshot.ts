import type { ExternalIdentityRow } from '../../domain/external-identities/external-identity.ts'
import { emptyProfile, type ProfileFields, profileOf } from '../../sign-in/identities/profile-fields.ts'
import { checkEmail } from '../../values/email.ts'
import { type DirectoryGroup, type DirectoryUser, ProviderFault } from '../adapter.ts'
import { type Chunks, isStorableId } from '../read/chunks.ts'

type Unusable = { idp_id: string; name: string | null; unusable: string }
export type SnapshotUser = ({ idp_id: string; active: boolean } & ProfileFields) | Unusable
export type SnapshotGroup = DirectoryGroup | Unusable

export type DirectMembers = {
  group: string
  version: string | null
  /** Digests of the chunks that contain the sorted ids of the group's users. */
  users: string[]
  groups: string[]
  everyone: boolean
  /** Ids of members whose entries could not be read. Existing memberships of these users are kept. */
  unread: string[]
  gone: boolean
  /** True if the members include profiles of users who may be in no other list. Every run reads the members of such a group again. */
  has_profiles: boolean
}

/** Root of a snapshot: the digests of its chunks, grouped by list. Chunks of `members` contain `DirectMembers` entries. */
export type SnapshotRoot = { users: string[]; groups: string[]; members: string[] }

export async function readDirectMembers(chunks: Chunks, digests: string[]): Promise<Map<string, DirectMembers>> {
  const found = new Map<string, DirectMembers>()
  for await (const members of chunks.each<DirectMembers>(digests)) found.set(members.group, members)
  return found
}

/**
 * Collects the users of a group and its nested groups (I4.2). `incomplete` is true if the members of one of these groups could not be read.
 */
export async function flattenMembers(chunks: Chunks, direct: Map<string, DirectMembers>, group: string) {
  const flat = { users: new Set<string>(), everyone: false, unread: new Set<string>(), incomplete: false }
  // Iterates over the set while nested groups are added to it. The loop also visits the added groups.
  const groups = new Set([group])
  for (const id of groups) {
    const members = direct.get(id)
    if (!members || members.gone) {
      flat.incomplete = true
      continue
    }
    for await (const user of chunks.each<string>(members.users)) flat.users.add(user)
    for (const user of members.unread) flat.unread.add(user)
    flat.everyone ||= members.everyone
    for (const nested of members.groups) groups.add(nested)
  }
  return flat
}

/**
 * Converts a person to snapshot form. For an unusable person, returns the reason instead. Inactive people need no valid email, because they
 * only lose access.
 */
export function toSnapshotUser(user: DirectoryUser): SnapshotUser {
  const { idp_id, active } = user
  const profile = { ...emptyProfile, ...profileOf(user) }
  if (!isStorableId(idp_id)) return { idp_id, name: profile.name, unusable: 'invalid_id' }
  if (!active) return { idp_id, active, ...profile }
  const checked = checkEmail(String(user.email ?? '').trim())
  const unusable = user.email ? 'invalid_email' : 'no_email'
  if (!('email' in checked)) return { idp_id, name: profile.name, unusable }
  return { idp_id, active, ...profile, email: checked.email }
}

export function toSnapshotGroup(group: DirectoryGroup): SnapshotGroup {
  const { idp_id, entity_type, membership_version, stated_members } = group
  const name = toSnapshotName(group.name) ?? toSnapshotName(idp_id) ?? '-'
  if (!isStorableId(idp_id)) return { idp_id, name, unusable: 'invalid_id' }
  return { idp_id, name, email: toSnapshotName(group.email), entity_type, membership_version, stated_members }
}

export const toSnapshotName = (name: unknown): string | null => profileOf({ name }).name ?? null

export const profileFields = (row: ExternalIdentityRow): ProfileFields =>
  Object.fromEntries(Object.keys(emptyProfile).map((name) => [name, row[name as keyof ProfileFields]])) as ProfileFields

/** Limits of a snapshot (I4.7(4)). Tests lower them. */
export const snapshotBounds = { users: 500_000, memberships: 5_000_000 }

export const tooMany = (noun: keyof typeof snapshotBounds): ProviderFault =>
  new ProviderFault('fatal', `The directory has more than ${snapshotBounds[noun].toLocaleString('en')} ${noun}.`)
