import type { DirectoryAdapter, MembersOf } from '../../directory-adapter.ts'
import { ProviderFault } from '../../provider-fault.ts'
import { askProvider } from '../../read/ask-provider.ts'
import { countBarren } from '../../read/barren-pages.ts'
import { ChunkCutter, type Chunks } from '../../read/chunks.ts'
import { isStorableId } from '../../read/is-storable-id.ts'
import { restartList } from '../../read/restart-list.ts'
import type { Reading } from '../../runs/run.ts'
import type { RunWork } from '../../runs/run-work.ts'
import { StepOver } from '../../runs/step-end.ts'
import { bounds, tooMany } from './bounds.ts'
import { type DirectMembers, readDirectMembers, type SnapshotGroup, type SnapshotUser } from './snapshot.ts'
import { snapshotUser } from './snapshot-entries.ts'

/** Groups that others only name are read so many between two places that are kept. */
const nestedAtOnce = 64

/** The members of one group, as far as they have been read. */
type Partial = {
  group: string
  position: string | null
  users: string[]
  groups: string[]
  everyone: boolean
  unread: string[]
  has_profiles: boolean
}

/** What a step has of the groups of one chunk when its time is over, one item for each line. */
type Scratch =
  | { done: DirectMembers }
  | { person: SnapshotUser }
  | { partial: Omit<Partial, 'users'> }
  | { user: string }

const emptyOf = (group: string): Partial => ({
  group,
  position: null,
  users: [],
  groups: [],
  everyone: false,
  unread: [],
  has_profiles: false,
})

/** Reads the members of all groups, a chunk of groups after the other, then those of groups that only others name. */
export class MembersReader {
  private readonly work: RunWork
  private readonly chunks: Chunks
  private readonly adapter: DirectoryAdapter
  /** Groups of the last good run, whose members need not be read again while their version stays. */
  private readonly known: Map<string, DirectMembers>
  private done: DirectMembers[] = []
  private people: SnapshotUser[] = []
  private partial: Partial | null = null

  constructor(work: RunWork, chunks: Chunks, adapter: DirectoryAdapter, known: Map<string, DirectMembers>) {
    this.work = work
    this.chunks = chunks
    this.adapter = adapter
    this.known = known
  }

  private get reading(): Reading {
    return this.work.run.reading as Reading
  }

  private get lists() {
    const { groups = [], members = [], users = [] } = this.reading.chunks
    return { groups, members, users }
  }

  async readAll(): Promise<void> {
    await this.resume()
    const { groups } = this.lists
    for (let digest = groups[this.reading.next]; digest !== undefined; digest = groups[this.reading.next]) {
      const listed = await this.chunks.get<SnapshotGroup>(digest)
      await this.readGroups(listed.flatMap((group) => ('unusable' in group ? [] : [group])))
    }
    for (let nested = await this.unreadNested(); nested.length > 0; nested = await this.unreadNested()) {
      await this.readGroups(nested.slice(0, nestedAtOnce).map((idp_id) => ({ idp_id, nested: true })))
    }
  }

  /** Groups that others name and nobody has read. They are found anew in each step, so that no list of them is kept. */
  private async unreadNested(): Promise<string[]> {
    const direct = await readDirectMembers(this.chunks, this.lists.members)
    const listed = new Set<string>()
    for await (const { idp_id } of this.chunks.each<SnapshotGroup>(this.lists.groups)) listed.add(idp_id)
    const named = new Set([...direct.values()].flatMap(({ groups }) => groups))
    return [...named].filter((id) => !direct.has(id) && !listed.has(id)).sort()
  }

  private async readGroups(groups: MembersOf[]): Promise<void> {
    const have = new Set(this.done.map(({ group }) => group))
    for (const group of groups) {
      if (have.has(group.idp_id)) continue
      have.add(group.idp_id)
      this.done.push(this.unchanged(group) ?? (await this.readGroup(group)))
      if (this.work.isDue) await this.keepScratch()
    }
    const { members, users } = this.lists
    members.push(...(await this.chunks.put(this.done)))
    // Cut as the list of users is, so that one more person changes one chunk.
    const cutter = new ChunkCutter<SnapshotUser>(512)
    for (const person of this.people) {
      const chunk = cutter.add(person)
      if (chunk) users.push(...(await this.chunks.put(chunk)))
    }
    users.push(...(await this.chunks.put(cutter.rest())))
    this.done = []
    this.people = []
    this.reading.scratch = null
    this.reading.next++
    await this.work.keepPlace()
  }

  /** The members as the last good run has read them, where the provider says that they are still the same (I4.2). */
  private unchanged(group: MembersOf): DirectMembers | null {
    const version = 'membership_version' in group ? group.membership_version : null
    const before = this.known.get(group.idp_id)
    if (version === null || before === undefined || before.version !== version) return null
    return before.has_profiles || before.gone ? null : before
  }

  private async readGroup(group: MembersOf): Promise<DirectMembers> {
    const started = this.partial?.group === group.idp_id ? this.partial : emptyOf(group.idp_id)
    this.partial = started
    this.reading.restarts = started.position === null ? 0 : this.reading.restarts
    let partial = started
    const version = 'membership_version' in group ? (group.membership_version as string | null) : null
    for (;;) {
      const { position } = partial
      const page = await askProvider(this.work, () => this.adapter.members(group, position)).catch(async (error) => {
        if (error instanceof ProviderFault && error.faultClass === 'object_gone') return { gone: error.reason }
        if (error instanceof StepOver) await this.keepScratch(true)
        return restartList(this.work, error)
      })
      if (page === 'again') {
        partial = emptyOf(group.idp_id)
        this.partial = partial
        continue
      }
      if ('gone' in page) {
        this.work.skip({ idp_id: group.idp_id, name: 'name' in group ? String(group.name) : null, reason: page.gone })
        this.partial = null
        // Of a group of another company nothing was ever known: what it does not tell now was not told before.
        const none = { version: null, users: [], groups: [], everyone: false, unread: [], has_profiles: false }
        return { group: group.idp_id, ...none, gone: page.gone === 'gone' }
      }
      this.take(partial, page)
      if (page.next === null) break
      this.reading.barren = countBarren('members', this.reading.barren ?? 0, page.barren)
      partial.position = page.next
      if (this.work.isDue) await this.keepScratch()
    }
    this.partial = null
    const users = await this.chunks.put([...new Set(partial.users)].sort())
    return {
      group: group.idp_id,
      version,
      users,
      groups: [...new Set(partial.groups)].sort(),
      everyone: partial.everyone,
      unread: [...new Set(partial.unread)].sort(),
      gone: false,
      has_profiles: partial.has_profiles,
    }
  }

  private take(partial: Partial, page: Awaited<ReturnType<DirectoryAdapter['members']>>): void {
    const { run } = this.work
    for (const skipped of page.skipped) {
      this.work.skip(skipped)
      if (skipped.reason === 'gone') partial.unread.push(skipped.idp_id)
    }
    for (const member of page.entries) {
      if ('group' in member) {
        if (isStorableId(member.group)) partial.groups.push(member.group)
        else this.work.skip({ idp_id: member.group, name: null, reason: 'invalid_id' })
      } else if ('everyone' in member) partial.everyone = true
      else {
        partial.users.push(member.user)
        if (member.profile) {
          partial.has_profiles = true
          this.addPerson(snapshotUser(member.profile))
        }
      }
    }
    run.seen.memberships = (run.seen.memberships ?? 0) + page.entries.length
    if (run.seen.memberships > bounds.memberships) throw tooMany('memberships')
    if ((run.seen.users ?? 0) > bounds.users) throw tooMany('users')
  }

  private readonly told = new Set<string>()

  private addPerson(person: SnapshotUser): void {
    if (this.told.has(person.idp_id)) return
    this.told.add(person.idp_id)
    this.people.push(person)
    const { run } = this.work
    if (!('unusable' in person)) run.seen.users = (run.seen.users ?? 0) + 1
  }

  /** Keeps what has been read of the groups of this chunk, so that a group of any size loses a minute at most. */
  private async keepScratch(isOver = false): Promise<void> {
    const { users = [], ...partial } = this.partial ?? { users: [] as string[] }
    const lines: Scratch[] = [
      ...this.done.map((done) => ({ done })),
      ...this.people.map((person) => ({ person })),
      ...('group' in partial ? [{ partial }] : []),
      ...users.map((user) => ({ user })),
    ]
    this.reading.scratch = await this.chunks.put(lines)
    if (isOver) await this.work.save()
    else await this.work.keepPlace()
  }

  private async resume(): Promise<void> {
    let partial: Partial | null = null
    for await (const line of this.chunks.each<Scratch>(this.reading.scratch ?? [])) {
      if ('done' in line) this.done.push(line.done)
      else if ('person' in line) this.people.push(line.person)
      else if ('partial' in line) partial = { ...line.partial, users: [] }
      else partial?.users.push(line.user)
    }
    for (const { idp_id } of this.people) this.told.add(idp_id)
    this.partial = partial
  }
}
