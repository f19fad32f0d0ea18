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
  bounds,
  type DirectMembers,
  readDirectMembers,
  type SnapshotGroup,
  type SnapshotUser,
  snapshotUser,
  tooMany,
} from './snapshot.ts'

/** Groups known by their ids alone that are read between two saved places. */
const nestedAtOnce = 64

type Readable = DirectoryGroup | { idp_id: string; nested: true }

type Unfinished = {
  group: string
  position: string | null
  users: string[]
  groups: string[]
  everyone: boolean
  unread: string[]
  has_profiles: boolean
}

/** An item of the state in which a step leaves the groups of one chunk. */
type Scratch =
  | { done: DirectMembers }
  | { person: SnapshotUser }
  | { partial: Omit<Unfinished, 'users'> }
  | { user: string }

function emptyOf(group: string): Unfinished {
  return { group, position: null, users: [], groups: [], everyone: false, unread: [], has_profiles: false }
}

/**
 * Reads the members of all groups, one chunk of groups after the other, then those of groups known by their ids alone.
 * @param known groups of the last good run, whose members are read again only with a new version
 */
export async function readMembers(
  work: RunWork,
  chunks: Chunks,
  adapter: DirectoryAdapter,
  known: Map<string, DirectMembers>,
): Promise<void> {
  const { run } = work
  const reading = run.reading as Reading
  const { groups: listed = [], members = [], users = [] } = reading.chunks
  let done: DirectMembers[] = []
  let people: SnapshotUser[] = []
  const told = new Set<string>()
  let partial: Unfinished | null = null

  for await (const line of chunks.each<Scratch>(reading.scratch ?? [])) {
    if ('done' in line) done.push(line.done)
    else if ('person' in line) people.push(line.person)
    else if ('partial' in line) partial = { ...line.partial, users: [] }
    else partial?.users.push(line.user)
  }
  for (const { idp_id } of people) told.add(idp_id)

  /** Saves the members that were read of this chunk, so that a crash in a large group loses a minute at most. */
  async function keepScratch(isOver = false): Promise<void> {
    const ofPartial = ({ users, ...rest }: Unfinished): Scratch[] => [
      { partial: rest },
      ...users.map((user) => ({ user })),
    ]
    const lines: Scratch[] = [
      ...done.map((one) => ({ done: one })),
      ...people.map((person) => ({ person })),
      ...(partial ? ofPartial(partial) : []),
    ]
    reading.scratch = await chunks.put(lines)
    if (isOver) await work.save()
    else await work.keepPlace()
  }

  function take(own: Unfinished, page: ProviderPage<DirectoryMember>): void {
    for (const skipped of page.skipped) {
      work.skip(skipped)
      if (skipped.reason === 'gone') own.unread.push(skipped.idp_id)
    }
    for (const member of page.entries) {
      if ('group' in member) {
        if (isStorableId(member.group)) own.groups.push(member.group)
        else work.skip({ idp_id: member.group, name: null, reason: 'invalid_id' })
      } else if ('everyone' in member) own.everyone = true
      else {
        own.users.push(member.user)
        if (!member.profile) continue
        own.has_profiles = true
        if (told.has(member.profile.idp_id)) continue
        told.add(member.profile.idp_id)
        const person = snapshotUser(member.profile)
        people.push(person)
        if (!('unusable' in person)) run.seen.users = (run.seen.users ?? 0) + 1
      }
    }
    run.seen.memberships = (run.seen.memberships ?? 0) + page.entries.length
    if (run.seen.memberships > bounds.memberships) throw tooMany('memberships')
    if ((run.seen.users ?? 0) > bounds.users) throw tooMany('users')
  }

  /** The members that the last good run has read, if the provider has the same version of them (I4.2). */
  function unchanged(group: Readable): DirectMembers | null {
    const before = known.get(group.idp_id)
    if (!before || 'nested' in group || group.membership_version === null) return null
    return before.version !== group.membership_version || before.has_profiles || before.gone ? null : before
  }

  async function readGroup(group: Readable): Promise<DirectMembers> {
    const { idp_id } = group
    let own: Unfinished = partial?.group === idp_id ? partial : emptyOf(idp_id)
    partial = own
    reading.restarts = own.position === null ? 0 : reading.restarts
    const pages = eachPage(work, 'members', own.position, (place) => adapter.members(group, place), {
      restart: () => {
        own = emptyOf(idp_id)
        partial = own
      },
      pause: () => keepScratch(true),
      advance: async (place) => {
        own.position = place
        if (work.isDue) await keepScratch()
      },
    })
    let version = 'nested' in group ? null : group.membership_version
    let gone = false
    try {
      for await (const { page } of pages) take(own, page)
    } catch (error) {
      if (!isFault(error, 'object_gone')) throw error
      work.skip({ idp_id, name: 'nested' in group ? null : group.name, reason: error.reason })
      own = emptyOf(idp_id)
      version = null
      // No members of another company's group were ever known, so it leaves nothing incomplete.
      gone = error.reason === 'gone'
    }
    partial = null
    const { position: _position, ...members } = own
    return {
      ...members,
      version,
      gone,
      users: await chunks.put([...new Set(own.users)].sort()),
      groups: [...new Set(own.groups)].sort(),
      unread: [...new Set(own.unread)].sort(),
    }
  }

  async function readGroups(groups: Readable[]): Promise<void> {
    const have = new Set(done.map(({ group }) => group))
    for (const group of groups) {
      if (have.has(group.idp_id)) continue
      have.add(group.idp_id)
      done.push(unchanged(group) ?? (await readGroup(group)))
      if (work.isDue) await keepScratch()
    }
    members.push(...(await chunks.put(done)))
    // Cut like the list of users, so that a new person changes one chunk.
    users.push(...(await chunks.putCut(people, 512)))
    done = []
    people = []
    reading.scratch = null
    reading.next++
    await work.keepPlace()
  }

  /** Groups that are known by their ids alone and not read yet. */
  async function unreadNested(): Promise<string[]> {
    const direct = await readDirectMembers(chunks, members)
    const ids = new Set<string>()
    for await (const { idp_id } of chunks.each<SnapshotGroup>(listed)) ids.add(idp_id)
    const named = new Set([...direct.values()].flatMap(({ groups }) => groups))
    return [...named].filter((id) => !direct.has(id) && !ids.has(id)).sort()
  }

  for (let digest = listed[reading.next]; digest !== undefined; digest = listed[reading.next]) {
    const groups = await chunks.get<SnapshotGroup>(digest)
    await readGroups(groups.flatMap((group) => ('unusable' in group ? [] : [group])))
  }
  for (let nested = await unreadNested(); nested.length > 0; nested = await unreadNested()) {
    await readGroups(nested.slice(0, nestedAtOnce).map((idp_id) => ({ idp_id, nested: true })))
  }
}
