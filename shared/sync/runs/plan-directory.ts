import { hash } from 'node:crypto'
import { actors } from '../../domain/actors/actor.ts'
import { type ExternalIdentityRow, externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { type GroupRow, groups } from '../../domain/groups/group.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { type PolicyRow, policies } from '../../domain/policies/policy.ts'
import type { ProfileFields as Profile } from '../../sign-in/profile-fields.ts'
import { itemRow } from '../../table/entity.ts'
import { edgePartition, guardKey, partition, type RowPointer } from '../../table/keys.ts'
import { getItems, getRows, itemsOf, sortKeysOf } from '../../table/read.ts'
import { ProviderFault } from '../provider-fault.ts'
import { bounds, tooMany } from './bounds.ts'
import type { Chunks } from './chunks.ts'
import {
  changeOf,
  type DirectoryEntries,
  type DirectorySection,
  directorySections,
  type Losses,
  type Planned,
} from './directory-plan.ts'
import { PlanWriter } from './plan-store.ts'
import { profileFields } from './profile.ts'
import { type CountsByObject, countChange, countsOf, directoryObjects } from './run.ts'
import type { RunWork } from './run-work.ts'
import {
  type DirectMembers,
  flatMembers,
  readDirectMembers,
  readRoot,
  type SnapshotGroup,
  type SnapshotRoot,
  type SnapshotUser,
} from './snapshot.ts'

/** An identity of the account, as much of it as tells whether it differs. */
type Own = {
  id: string
  actor: string
  owner: 'this' | 'other' | 'nobody'
  sameIssuer: boolean
  content: string
  idpId: string
}

/** A person of the snapshot: whom it is in the account, if anybody yet. */
type Person = { actor: string | null; state: 'active' | 'inactive' | 'unusable' }

type ActiveUser = Extract<SnapshotUser, { active: boolean }>
type UsableGroup = Exclude<SnapshotGroup, { unusable: string }>

const contentOf = (profile: Profile): string => hash('sha1', JSON.stringify(Object.entries(profile).sort()), 'base64')

const profileOfUser = ({ idp_id: _idpId, active: _active, ...profile }: ActiveUser): Profile => profile

/** Lookups by batches of so many. */
const perLookup = 100

async function* batches<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const one of source) {
    batch.push(one)
    if (batch.length < perLookup) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/**
 * Computes what separates the account from a sealed snapshot, and writes it down section by section (I4.3 to I4.6). It changes
 * nothing. What it holds in memory grows with the people, some 300 bytes each; groups and members pass by one group at a time.
 */
export class DirectoryPlanner {
  private readonly work: RunWork
  private readonly chunks: Chunks
  private readonly issuer: string
  private readonly writer: PlanWriter
  private readonly counts: CountsByObject = countsOf(directoryObjects)
  private readonly losses: Losses = {
    identities: { lost: 0, owned: 0 },
    groups: { lost: 0, owned: 0 },
    memberships: { lost: 0, owned: 0 },
  }
  /** By idp_id, of this issuer. */
  private readonly own = new Map<string, Own>()
  /** Of this directory, from when it had another issuer. */
  private readonly stale: Own[] = []
  /** The identities of an actor that a person with its email takes over. */
  private readonly byActor = new Map<string, Own[]>()
  /** How many identities of any kind each actor has. */
  private readonly identities = new Map<string, number>()
  private readonly people = new Map<string, Person>()
  /** Identities that become those of another person of the same email, or get another issuer. */
  private readonly claimed = new Set<string>()
  /** Actors that get an identity by this run. */
  private readonly linked = new Set<string>()
  /** Owned people that the snapshot has not. */
  readonly absent: Own[] = []
  /** Actors whose identity goes because the provider names it as not active. */
  private readonly inactiveActors = new Set<string>()

  constructor(work: RunWork, chunks: Chunks, issuer: string) {
    this.work = work
    this.chunks = chunks
    this.issuer = issuer
    this.writer = new PlanWriter(work.run, directorySections)
  }

  async plan(): Promise<Planned> {
    const { run } = this.work
    const root = await readRoot(this.chunks, run.root as string)
    await this.readIdentities()
    await this.planKnownUsers(root)
    this.believeUsers()
    await this.planNewUsers(root)
    await this.planLostUsers()
    const present = await this.planGroups(root)
    await this.planMemberships(root, present)
    await this.planActors()
    return { sections: await this.writer.end(), counts: this.counts, losses: this.losses }
  }

  private async add<S extends DirectorySection>(section: S, entry: DirectoryEntries[S]): Promise<void> {
    await this.writer.add(section, entry)
    const { object, change } = changeOf(section, entry)
    countChange(this.counts, object, change)
    if (this.work.isDue) await this.work.save()
  }

  private async readIdentities(): Promise<void> {
    const { accountId, sourceId } = this.work
    for await (const item of itemsOf(partition(accountId, externalIdentities.name))) {
      const row = itemRow(externalIdentities, item)
      this.identities.set(row.actor_id, (this.identities.get(row.actor_id) ?? 0) + 1)
      const owner = row.directory_id === sourceId ? 'this' : row.directory_id === null ? 'nobody' : 'other'
      if (owner === 'this') this.losses.identities = this.counted('identities', 'owned')
      const sameIssuer = row.issuer === this.issuer
      if (!sameIssuer && owner !== 'this') continue
      const content = contentOf(profileFields(row))
      const own: Own = { id: row.id, actor: row.actor_id, owner, sameIssuer, content, idpId: row.idp_id }
      if (sameIssuer) this.own.set(row.idp_id, own)
      else this.stale.push(own)
      const others = this.byActor.get(row.actor_id)
      if (others) others.push(own)
      else this.byActor.set(row.actor_id, [own])
      if (this.work.isDue) await this.work.save()
    }
  }

  private counted(noun: keyof Losses, field: 'lost' | 'owned', by = 1) {
    const { lost = 0, owned = 0 } = this.losses[noun] ?? {}
    return field === 'lost' ? { lost: lost + by, owned } : { lost, owned: owned + by }
  }

  /** People whose identity is known: those that are not active, and those that differ. */
  private async planKnownUsers(root: SnapshotRoot): Promise<void> {
    const changed: { user: ActiveUser; own: Own }[] = []
    const inactive: Own[] = []
    const flush = async () => {
      const rows = await this.identityRows(changed.map(({ own }) => own))
      for (const [i, { user, own }] of changed.entries()) await this.addUser(user, own, rows[i] ?? null)
      changed.length = 0
    }
    for await (const user of this.chunks.each<SnapshotUser>(root.users)) {
      const before = this.people.get(user.idp_id)
      const own = this.own.get(user.idp_id)
      if ('unusable' in user) {
        if (!before) this.people.set(user.idp_id, { actor: own?.actor ?? null, state: 'unusable' })
        continue
      }
      if (before && before.state !== 'unusable') continue
      const state = user.active ? 'active' : 'inactive'
      this.people.set(user.idp_id, { actor: own?.actor ?? null, state })
      if (!own) continue
      if (own.owner === 'other') this.skip(user, 'other_directory')
      else if (!user.active) inactive.push(own)
      else if (own.owner !== 'this' || own.content !== contentOf(profileOfUser(user))) changed.push({ user, own })
      if (changed.length === perLookup) await flush()
    }
    await flush()
    for await (const batch of batches(inactive)) {
      for (const row of await this.identityRows(batch)) {
        if (!row) continue
        this.inactiveActors.add(row.actor_id)
        this.leave(row.actor_id)
        await this.add('inactive', { id: row.id, idp_id: row.idp_id, name: row.name, email: row.email })
      }
    }
    this.work.run.seen.users = [...this.people.values()].filter(({ state }) => state !== 'unusable').length
  }

  /** A directory that had people and now has none has not been asked rightly (I5.1). */
  private believeUsers(): void {
    const { owned = 0 } = this.losses.identities ?? {}
    if (this.people.size > 0 || owned === 0) return
    throw new ProviderFault('fatal', `The list of users was empty, where there were ${owned}; nothing was changed.`)
  }

  private leave(actor: string): void {
    this.identities.set(actor, (this.identities.get(actor) ?? 1) - 1)
  }

  private skip(user: { idp_id: string; name: string | null }, reason: string): void {
    this.work.skip({ idp_id: user.idp_id, name: user.name, reason })
  }

  private identityRows(owns: Own[]): Promise<(ExternalIdentityRow | null)[]> {
    return getRows(
      externalIdentities,
      this.work.accountId,
      owns.map(({ id }) => id),
    )
  }

  private async addUser(user: ActiveUser, own: Own | null, row: ExternalIdentityRow | null): Promise<void> {
    const known = own?.actor ?? null
    await this.add('users', {
      idp_id: user.idp_id,
      profile: profileOfUser(user),
      over: own?.id ?? null,
      known,
      was: row && { idp_id: row.idp_id, ...profileFields(row) },
    })
  }

  /** People without an identity: by their email they are somebody who is here, or new (I4.3(2), I4.3(3)). */
  private async planNewUsers(root: SnapshotRoot): Promise<void> {
    const taken = new Set<string>()
    const done = new Set<string>()
    for await (const batch of batches(this.newcomers(root, done))) {
      const guards = await getItems<RowPointer>(
        batch.map(({ email }) => guardKey(this.work.accountId, 'actors.email', String(email).toLowerCase())),
      )
      for (const [i, user] of batch.entries()) {
        const email = String(user.email).toLowerCase()
        const actor = guards[i]?.row.sk ?? null
        const person = this.people.get(user.idp_id)
        const over = actor === null ? undefined : this.identityToTakeOver(actor)
        if (taken.has(email) || over === 'held') {
          this.skip(user, 'same_email')
          this.people.set(user.idp_id, { actor: null, state: 'unusable' })
          continue
        }
        taken.add(email)
        if (over) this.claimed.add(over.id)
        if (actor) this.linked.add(actor)
        if (person) person.actor = actor
        const [row = null] = over ? await this.identityRows([over]) : []
        await this.writeNewUser(user, over ?? null, actor, row)
      }
    }
  }

  private writeNewUser(user: ActiveUser, over: Own | null, actor: string | null, row: ExternalIdentityRow | null) {
    return this.add('users', {
      idp_id: user.idp_id,
      profile: profileOfUser(user),
      over: over?.id ?? null,
      known: actor,
      was: row && { idp_id: row.idp_id, ...profileFields(row) },
    })
  }

  private async *newcomers(root: SnapshotRoot, done: Set<string>): AsyncGenerator<ActiveUser> {
    for await (const user of this.chunks.each<SnapshotUser>(root.users)) {
      if ('unusable' in user || !user.active || this.own.has(user.idp_id) || done.has(user.idp_id)) continue
      done.add(user.idp_id)
      yield user
    }
  }

  /** The identity of an actor that a person of its email gets; `held` while the snapshot has its own person, too. */
  private identityToTakeOver(actor: string): Own | 'held' | undefined {
    const owns = this.byActor.get(actor) ?? []
    const over = owns.find(({ sameIssuer }) => sameIssuer) ?? owns[0]
    if (!over) return undefined
    const isHeld = over.sameIssuer && this.people.get(over.idpId)?.state === 'active'
    return isHeld || this.claimed.has(over.id) ? 'held' : over
  }

  /** What the directory owns and the snapshot has not; who could not be used is there all the same. */
  private async planLostUsers(): Promise<void> {
    const gone = [...this.own.values()].filter(({ owner, idpId }) => owner === 'this' && !this.people.has(idpId))
    const lost = [...gone, ...this.stale].filter(({ id }) => !this.claimed.has(id))
    this.absent.push(...gone.filter(({ id }) => !this.claimed.has(id)))
    for await (const batch of batches(lost)) {
      for (const row of await this.identityRows(batch)) {
        if (!row) continue
        this.leave(row.actor_id)
        this.losses.identities = this.counted('identities', 'lost')
        await this.add('absent', { id: row.id, idp_id: row.idp_id, name: row.name, email: row.email })
      }
    }
  }

  /** The usable groups of the snapshot, with those of them that the account has. */
  private async planGroups(root: SnapshotRoot): Promise<Map<string, { group: UsableGroup; row: GroupRow | null }>> {
    const { accountId, sourceId } = this.work
    const rows = new Map<string, GroupRow>()
    for await (const item of itemsOf(partition(accountId, groups.name))) {
      const row = itemRow(groups, item)
      if (row.idp_id !== null) rows.set(row.idp_id, row)
    }
    const present = new Map<string, { group: UsableGroup; row: GroupRow | null }>()
    const named = new Set<string>()
    for await (const group of this.chunks.each<SnapshotGroup>(root.groups)) {
      if (named.has(group.idp_id) && present.has(group.idp_id)) continue
      named.add(group.idp_id)
      if ('unusable' in group) continue
      const row = rows.get(group.idp_id) ?? null
      if (row && row.directory_id !== sourceId) {
        this.skip(group, 'other_directory')
        continue
      }
      present.set(group.idp_id, { group, row })
      const fields = { name: group.name, email: group.email, entity_type: group.entity_type }
      const was = row && { name: row.name, email: row.email, entity_type: row.entity_type }
      const differs =
        !was || was.name !== fields.name || was.email !== fields.email || was.entity_type !== fields.entity_type
      if (differs) await this.add('groups', { idp_id: group.idp_id, fields, id: row?.id ?? null, was })
    }
    this.work.run.seen.groups = present.size
    for (const row of rows.values()) {
      if (row.directory_id !== sourceId) continue
      this.losses.groups = this.counted('groups', 'owned')
      if (named.has(row.idp_id as string)) continue
      this.losses.groups = this.counted('groups', 'lost')
      const members = await sortKeysOf(partition(accountId, memberships.name, row.id))
      this.losses.memberships = this.counted('memberships', 'owned', members.length)
      this.losses.memberships = this.counted('memberships', 'lost', members.length)
      const was = { name: row.name, email: row.email, entity_type: row.entity_type }
      await this.add('vanished', { id: row.id, idp_id: row.idp_id as string, was })
    }
    await this.planRelinks(present)
    return present
  }

  /** Policies that lost their group get it back when it is seen again (I4.6). */
  private async planRelinks(present: Map<string, { group: UsableGroup }>): Promise<void> {
    for await (const item of itemsOf(partition(this.work.accountId, policies.name))) {
      const { id, group_id, group_idp_id, resource_id }: PolicyRow = itemRow(policies, item)
      if (group_id !== null || group_idp_id === null) continue
      const found = present.get(group_idp_id)
      if (found) await this.add('relinked', { id, group: group_idp_id, name: found.group.name, resource_id })
    }
  }

  private async planMemberships(
    root: SnapshotRoot,
    present: Map<string, { group: UsableGroup; row: GroupRow | null }>,
  ): Promise<void> {
    const direct = await readDirectMembers(this.chunks, root.members)
    let seen = 0
    for (const { group, row } of present.values()) {
      seen += await this.planGroup(group, row, direct)
      if (seen > bounds.memberships) throw tooMany('memberships')
      if (this.work.isDue) await this.work.save()
    }
    this.work.run.seen.memberships = seen
  }

  private async planGroup(
    group: UsableGroup,
    row: GroupRow | null,
    direct: Map<string, DirectMembers>,
  ): Promise<number> {
    const flat = await flatMembers(this.chunks, direct, group.idp_id)
    const wanted = flat.everyone ? this.everyone() : flat.users
    const current = new Set(row ? await sortKeysOf(partition(this.work.accountId, memberships.name, row.id)) : [])
    this.losses.memberships = this.counted('memberships', 'owned', current.size)
    const staying = new Set<string>()
    let members = 0
    for (const user of wanted) {
      const person = this.people.get(user)
      if (!person) {
        this.skip({ idp_id: user, name: null }, 'foreign_member')
        continue
      }
      if (person.state === 'inactive') continue
      if (person.actor !== null) staying.add(person.actor)
      if (person.state === 'unusable') continue
      members++
      if (person.actor !== null && current.has(person.actor)) continue
      await this.add('joined', { group: group.idp_id, user, name: `${group.name} / ${user}` })
    }
    for (const user of flat.unread) {
      const actor = this.people.get(user)?.actor
      if (actor) staying.add(actor)
    }
    if (!flat.incomplete)
      await this.planEnded(
        group,
        row,
        [...current].filter((actor) => !staying.has(actor)),
      )
    return members
  }

  private *everyone(): Generator<string> {
    for (const [id, { state }] of this.people) if (state === 'active') yield id
  }

  private async planEnded(group: UsableGroup, row: GroupRow | null, ended: string[]): Promise<void> {
    if (!row) return
    for await (const batch of batches(ended)) {
      const rows = await getRows(actors, this.work.accountId, batch)
      for (const [i, actor] of batch.entries()) {
        // Whom the provider itself names as not active counts for no percentage (I5.3).
        if (!this.inactiveActors.has(actor)) this.losses.memberships = this.counted('memberships', 'lost')
        const name = `${group.name} / ${rows[i]?.name ?? actor}`
        await this.add('ended', { group: row.id, actor, name, idp_id: group.idp_id })
      }
    }
  }

  /** Actors that the directory has made, and that no identity is left of. */
  private async planActors(): Promise<void> {
    const { accountId, sourceId } = this.work
    const made = await sortKeysOf(edgePartition(accountId, actors.name, 'created_by_directory_id', sourceId))
    const left = made.filter((id) => (this.identities.get(id) ?? 0) <= 0 && !this.linked.has(id))
    for await (const batch of batches(left)) {
      for (const row of await getRows(actors, accountId, batch)) {
        if (row) await this.add('actors', { id: row.id, name: row.name })
      }
    }
  }
}
