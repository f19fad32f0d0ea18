import type { ProfileFields as Profile } from '../../../sign-in/identities/profile-fields.ts'
import type { DirectoryGroup } from '../../directory-adapter.ts'
import type { Chunks } from '../../read/chunks.ts'

/** A person as a snapshot holds it, in the form in which it is stored; or why it could not be used. */
export type SnapshotUser =
  | ({ idp_id: string; active: boolean } & Profile)
  | { idp_id: string; name: string | null; unusable: string }

/** A group as a snapshot holds it. */
export type SnapshotGroup = DirectoryGroup | { idp_id: string; name: string | null; unusable: string }

/** What one group holds, one list of members deep. */
export type DirectMembers = {
  group: string
  /** The text that says whether its members have changed, as it was told with them. */
  version: string | null
  /** Chunks of the ids of its users, sorted. */
  users: string[]
  /** The groups in it. */
  groups: string[]
  everyone: boolean
  /** Users whose entry could not be read: that they are not among the members proves nothing. */
  unread: string[]
  /** It vanished while it was read. */
  gone: boolean
  /** Its list told users that no other list has, so it must be read each time. */
  has_profiles: boolean
}

/** The chunks of a whole snapshot, by list: `members` are chunks of `DirectMembers`. */
export type SnapshotRoot = { users: string[]; groups: string[]; members: string[] }

export async function readRoot(chunks: Chunks, root: string): Promise<SnapshotRoot> {
  const [found] = await chunks.get<SnapshotRoot>(root)
  if (!found) throw new Error(`The snapshot ${root} is empty.`)
  return found
}

/** What each group holds, by its id. */
export async function readDirectMembers(chunks: Chunks, digests: string[]): Promise<Map<string, DirectMembers>> {
  const found = new Map<string, DirectMembers>()
  for await (const members of chunks.each<DirectMembers>(digests)) found.set(members.group, members)
  return found
}

export type FlatMembers = {
  users: Set<string>
  everyone: boolean
  /** Those of whom nothing is proved. */
  unread: Set<string>
  /** A group that belongs to it vanished while it was read: who is not among its members may be all the same. */
  incomplete: boolean
}

/** The users of a group and of all groups in it, breadth-first, each group once (I4.2). */
export async function flatMembers(
  chunks: Chunks,
  direct: Map<string, DirectMembers>,
  group: string,
): Promise<FlatMembers> {
  const flat: FlatMembers = { users: new Set(), everyone: false, unread: new Set(), incomplete: false }
  const queue = [group]
  const queued = new Set(queue)
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const members = direct.get(next)
    if (!members || members.gone) {
      flat.incomplete = true
      continue
    }
    for await (const id of chunks.each<string>(members.users)) flat.users.add(id)
    for (const id of members.unread) flat.unread.add(id)
    flat.everyone ||= members.everyone
    for (const id of members.groups) {
      if (queued.has(id)) continue
      queued.add(id)
      queue.push(id)
    }
  }
  return flat
}
