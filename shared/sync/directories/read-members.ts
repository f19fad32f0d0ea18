import {
  type DirectoryAdapter,
  type DirectoryGroup,
  type DirectoryMember,
  isFault,
  type ProviderPage,
} from '../adapter.ts'
import { type Chunks, isStorableId } from '../read/chunks.ts'
import { eachPage } from '../read/read-list.ts'
import type { Reading } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'
import {
  type DirectMembers,
  readDirectMembers,
  type SnapshotGroup,
  type SnapshotUser,
  snapshotBounds,
  tooMany,
  toSnapshotUser,
} from './snapshot.ts'

const nestedBatchSize = 64

type Readable = DirectoryGroup | { idp_id: string; nested: true }

type PartialMembers = {
  group: string
  position: string | null
  users: string[]
  groups: string[]
  everyone: boolean
  unread: string[]
  has_profiles: boolean
}

type Scratch =
  | { done: DirectMembers }
  | { person: SnapshotUser }
  | { partial: Omit<PartialMembers, 'users'> }
  | { user: string }

function noMembers(group: string): PartialMembers {
  return { group, position: null, users: [], groups: [], everyone: false, unread: [], has_profiles: false }
}

/**
 * Reads the members of all groups, one chunk of groups at a time. Then reads the members of nested groups that are missing from the list of
 * groups.
 * @param lastMembers members from the last good run, reused for groups with an unchanged version
 */
export async function readMembers(
  work: RunWork,
  chunks: Chunks,
  adapter: DirectoryAdapter,
  lastMembers: Map<string, DirectMembers>,
): Promise<void> {
  const { run } = work
  const reading = run.reading as Reading
  const { groups: listed = [], members = [], users = [] } = reading.chunks
  let done: DirectMembers[] = []
  let people: SnapshotUser[] = []
  const collectedIds = new Set<string>()
  let partial: PartialMembers | null = null

  for await (const line of chunks.each<Scratch>(reading.scratch ?? [])) {
    if ('done' in line) done.push(line.done)
    else if ('person' in line) people.push(line.person)
    else if ('partial' in line) partial = { ...line.partial, users: [] }
    else partial?.users.push(line.user)
  }
  for (const { idp_id } of people) collectedIds.add(idp_id)

  /**
   * Saves the members read so far in the current chunk of groups. A crash while reading a large group then loses at most a minute of work.
   */
  async function saveScratch(endsStep = false): Promise<void> {
    const ofPartial = ({ users, ...rest }: PartialMembers): Scratch[] => [
      { partial: rest },
      ...users.map((user) => ({ user })),
    ]
    const lines: Scratch[] = [
      ...done.map((one) => ({ done: one })),
      ...people.map((person) => ({ person })),
      ...(partial ? ofPartial(partial) : []),
    ]
    reading.scratch = await chunks.put(lines)
    if (endsStep) await work.save()
    else await work.checkpoint()
  }

  function addPage(target: PartialMembers, page: ProviderPage<DirectoryMember>): void {
    for (const skipped of page.skipped) {
      work.skip(skipped)
      if (skipped.reason === 'gone') target.unread.push(skipped.idp_id)
    }
    for (const member of page.entries) {
      if ('group' in member) {
        if (isStorableId(member.group)) target.groups.push(member.group)
        else work.skip({ idp_id: member.group, name: null, reason: 'invalid_id' })
      } else if ('everyone' in member) target.everyone = true
      else {
        target.users.push(member.user)
        if (!member.profile) continue
        target.has_profiles = true
        if (collectedIds.has(member.profile.idp_id)) continue
        collectedIds.add(member.profile.idp_id)
        const person = toSnapshotUser(member.profile)
        people.push(person)
        if (!('unusable' in person)) run.seen.users = (run.seen.users ?? 0) + 1
      }
    }
    run.seen.memberships = (run.seen.memberships ?? 0) + page.entries.length
    if (run.seen.memberships > snapshotBounds.memberships) throw tooMany('memberships')
    if ((run.seen.users ?? 0) > snapshotBounds.users) throw tooMany('users')
  }

  /** Returns the group's members from the last good run if the provider reports the same version (I4.2), otherwise null. */
  function findUnchanged(group: Readable): DirectMembers | null {
    const before = lastMembers.get(group.idp_id)
    if (!before || 'nested' in group || group.membership_version === null) return null
    return before.version !== group.membership_version || before.has_profiles || before.gone ? null : before
  }

  async function readGroup(group: Readable): Promise<DirectMembers> {
    const { idp_id } = group
    let current: PartialMembers = partial?.group === idp_id ? partial : noMembers(idp_id)
    partial = current
    reading.restarts = current.position === null ? 0 : reading.restarts
    const pages = eachPage(work, 'members', current.position, (position) => adapter.members(group, position), {
      restart: () => {
        current = noMembers(idp_id)
        partial = current
      },
      pause: () => saveScratch(true),
      advance: async (position) => {
        current.position = position
        if (work.isSaveDue) await saveScratch()
      },
    })
    let version = 'nested' in group ? null : group.membership_version
    let gone = false
    try {
      for await (const { page } of pages) addPage(current, page)
    } catch (error) {
      if (!isFault(error, 'object_gone')) throw error
      work.skip({ idp_id, name: 'nested' in group ? null : group.name, reason: error.reason })
      current = noMembers(idp_id)
      version = null
      // Marks only deleted groups as gone, because their former members are unknown. A group of a different company never had members in
      // this account.
      gone = error.reason === 'gone'
    }
    partial = null
    const { position: _position, ...members } = current
    return {
      ...members,
      version,
      gone,
      users: await chunks.put([...new Set(current.users)].sort()),
      groups: [...new Set(current.groups)].sort(),
      unread: [...new Set(current.unread)].sort(),
    }
  }

  async function readGroups(groups: Readable[]): Promise<void> {
    const doneIds = new Set(done.map(({ group }) => group))
    for (const group of groups) {
      if (doneIds.has(group.idp_id)) continue
      doneIds.add(group.idp_id)
      done.push(findUnchanged(group) ?? (await readGroup(group)))
      if (work.isSaveDue) await saveScratch()
    }
    members.push(...(await chunks.put(done)))
    // Splits the profiles into chunks in the same way as the user list, so that a new person changes only one chunk.
    users.push(...(await chunks.putInChunks(people, 512)))
    done = []
    people = []
    reading.scratch = null
    reading.next++
    await work.checkpoint()
  }

  async function findUnreadNested(): Promise<string[]> {
    const direct = await readDirectMembers(chunks, members)
    const ids = new Set<string>()
    for await (const { idp_id } of chunks.each<SnapshotGroup>(listed)) ids.add(idp_id)
    const nestedIds = new Set([...direct.values()].flatMap(({ groups }) => groups))
    return [...nestedIds].filter((id) => !direct.has(id) && !ids.has(id)).sort()
  }

  for (let digest = listed[reading.next]; digest !== undefined; digest = listed[reading.next]) {
    const groups = await chunks.get<SnapshotGroup>(digest)
    await readGroups(groups.flatMap((group) => ('unusable' in group ? [] : [group])))
  }
  for (let nested = await findUnreadNested(); nested.length > 0; nested = await findUnreadNested()) {
    await readGroups(nested.slice(0, nestedBatchSize).map((idp_id) => ({ idp_id, nested: true })))
  }
}
