import { actors } from '../../domain/actors/actor.ts'
import { type ExternalIdentityRow, externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { tokensOfIssuers } from '../../domain/external-identities/issued-tokens.ts'
import type { ProfileFields } from '../../sign-in/identities/profile-fields.ts'
import { indexPartition, type RowPointer, uniqueKey } from '../../table/keys.ts'
import { getItems, getRow, sortKeysOf } from '../../table/read.ts'
import { isInDomains } from '../../values/email.ts'
import { foldAscii } from '../../values/text.ts'
import { batches, entryRows, rowsOf } from '../runs/plan.ts'
import type { RunSkipped } from '../runs/run.ts'
import { adminHasIdentity, adminNotMatched, type IdentityEntry, type UserEntry } from './directory-plan.ts'
import { loseIdentity, losesIdentities, type OwnedUser, type Planning, profileHash } from './planning.ts'
import { profileFields, type SnapshotUser } from './snapshot.ts'

type UsableUser = Extract<SnapshotUser, { active: boolean }>

const profileOf = ({ idp_id: _idpId, active: _active, ...profile }: UsableUser): ProfileFields => profile

/** A person who gets the identity `over`, with its row, or a new one, and is the actor `known`, if there is one yet. */
function userEntry(user: UsableUser, over: OwnedUser | null, row: ExternalIdentityRow | null, known: string | null) {
  const was = row && { idp_id: row.idp_id, ...profileFields(row) }
  return { idp_id: user.idp_id, profile: profileOf(user), over: over?.id ?? null, known, was } satisfies UserEntry
}

const identityEntry = ({ id, idp_id, name, email }: ExternalIdentityRow): IdentityEntry => ({ id, idp_id, name, email })

function skipPerson({ work, people }: Planning, skipped: RunSkipped, actor: string | null = null): void {
  work.skip(skipped)
  people.set(skipped.idp_id, { actor, state: 'unusable' })
}

/** Registers everybody of the snapshot, and plans known identities that differ. @returns those of inactive people */
export async function planKnownUsers(planning: Planning): Promise<OwnedUser[]> {
  const { work, sheet, people } = planning
  const inactive: OwnedUser[] = []
  for await (const batch of batches(knownUsers(planning, inactive))) {
    const owns = batch.map(({ own }) => own)
    const rows = await entryRows(externalIdentities, work.accountId, owns)
    for (const [i, { user, own }] of batch.entries()) {
      await sheet.add('users', userEntry(user, own, rows[i] ?? null, own.actor))
    }
  }
  work.run.seen.users = [...people.values()].filter(({ state }) => state !== 'unusable').length
  return inactive
}

async function* knownUsers(
  planning: Planning,
  inactive: OwnedUser[],
): AsyncGenerator<{ user: UsableUser; own: OwnedUser }> {
  const { work, chunks, root, domains, own, untouchable, people } = planning
  const unusable = new Map<string, RunSkipped>()
  for await (const user of chunks.each<SnapshotUser>(root.users)) {
    const { idp_id, name } = user
    const before = people.get(idp_id)
    const known = own.byIdpId.get(idp_id)
    const actor = known?.actor ?? null
    if ('unusable' in user) {
      if (before) continue
      people.set(idp_id, { actor, state: 'unusable' })
      unusable.set(idp_id, { idp_id, name, reason: user.unusable })
      continue
    }
    if (before && before.state !== 'unusable') continue
    unusable.delete(idp_id)
    const isOutside = user.active && !isInDomains(user.email, domains)
    people.set(idp_id, { actor, state: isOutside ? 'outside' : user.active ? 'active' : 'inactive' })
    if (isOutside) work.skip({ idp_id, name, reason: 'outside_domains' })
    else if (known?.owner === 'other') work.skip({ idp_id, name, reason: 'other_directory' })
    else if (known?.owner === 'nobody' && untouchable.has(known.actor)) {
      skipPerson(planning, { idp_id, name, reason: adminNotMatched }, known.actor)
    } else if (known && !user.active) inactive.push(known)
    else if (known && (known.owner !== 'this' || known.profileHash !== profileHash(profileOf(user)))) {
      yield { user, own: known }
    }
  }
  for (const skipped of unusable.values()) work.skip(skipped)
}

/** Plans people without an identity, who become the actor of their email or a new one (I4.3(2), I4.3(3)). */
export async function planNewUsers(planning: Planning): Promise<void> {
  const { work, sheet, people, claimed, linked, untouchable } = planning
  const taken = new Set<string>()
  for await (const batch of batches(newcomers(planning))) {
    const emails = batch.map(({ email }) => foldAscii(String(email)))
    const uniques = await getItems<RowPointer>(emails.map((email) => uniqueKey(work.accountId, 'actors.email', email)))
    for (const [i, user] of batch.entries()) {
      const email = emails[i] ?? ''
      const actor = uniques[i]?.row.sk ?? null
      const over = actor === null ? null : identityToTakeOver(planning, actor)
      const skip = (reason: string) => skipPerson(planning, { idp_id: user.idp_id, name: user.name, reason })
      if (actor !== null && untouchable.has(actor)) skip(adminNotMatched)
      else if (taken.has(email) || over === 'held') skip('same_email')
      else {
        taken.add(email)
        if (actor && over && (await withhold(planning, actor, over))) {
          skip(adminHasIdentity)
          continue
        }
        if (over) claimed.add(over.id)
        if (actor) linked.add(actor)
        const person = people.get(user.idp_id)
        if (person) person.actor = actor
        const [row = null] = over ? await entryRows(externalIdentities, work.accountId, [over]) : []
        await sheet.add('users', userEntry(user, over, row, actor))
      }
    }
  }
}

async function* newcomers({ chunks, root, own, people }: Planning): AsyncGenerator<UsableUser> {
  const met = new Set<string>()
  for await (const user of chunks.each<SnapshotUser>(root.users)) {
    if ('unusable' in user || !user.active || own.byIdpId.has(user.idp_id) || met.has(user.idp_id)) continue
    if (people.get(user.idp_id)?.state === 'outside') continue
    met.add(user.idp_id)
    yield user
  }
}

/** Keeps an administrator's identity from a new subject, and ends its tokens (I4.3). @returns false for others */
async function withhold({ work, sheet, withheld }: Planning, actorId: string, over: OwnedUser): Promise<boolean> {
  const actor = await getRow(actors, work.accountId, actorId)
  if (actor?.type !== 'account_admin_user') return false
  withheld.add(over.id)
  const [row] = await entryRows(externalIdentities, work.accountId, [over])
  if (row && (await tokensOfIssuers(work, actorId, new Set([row.issuer]))).length > 0) {
    await sheet.add('withheld', { id: row.id, idp_id: row.idp_id, actor: actorId, name: actor.name })
  }
  return true
}

/** The identity of an actor that a person of its email gets; `held` while the snapshot has its own person, too. */
function identityToTakeOver({ own, people, claimed }: Planning, actor: string): OwnedUser | 'held' | null {
  const over = own.byActor.get(actor)
  if (!over) return null
  const isHeld = over.sameIssuer && people.get(over.idpId)?.state === 'active'
  return isHeld || claimed.has(over.id) ? 'held' : over
}

export async function planInactive(planning: Planning, inactive: OwnedUser[]): Promise<void> {
  const { work, sheet, losses, inactiveActors, withheld } = planning
  const ids = inactive.map(({ id }) => id).filter((id) => !withheld.has(id))
  for await (const row of rowsOf(externalIdentities, work.accountId, ids)) {
    inactiveActors.add(row.actor_id)
    loseIdentity(planning, row.actor_id)
    if (row.directory_id === work.sourceId) losses.identities.named++
    await sheet.add('inactive', identityEntry(row))
  }
}

/** Plans the end of identities that the snapshot lacks or has outside the domains. @returns ids of absent people */
export async function planLostUsers(planning: Planning): Promise<string[]> {
  const { work, sheet, losses, own, people, claimed, withheld } = planning
  const isKept = ({ id }: OwnedUser) => claimed.has(id) || withheld.has(id)
  const owned = [...own.byIdpId.values()].filter((one) => one.owner === 'this' && !isKept(one))
  const gone = owned.filter(({ idpId }) => !people.has(idpId))
  const outside = owned.filter(({ idpId }) => people.get(idpId)?.state === 'outside')
  const lost = [...gone, ...outside, ...own.stale.filter((one) => !isKept(one))].map(({ id }) => id)
  for await (const row of rowsOf(externalIdentities, work.accountId, lost)) {
    loseIdentity(planning, row.actor_id)
    losses.identities.lost++
    await sheet.add('absent', { ...identityEntry(row), isLast: losesIdentities(planning, row.actor_id) })
  }
  return gone.map(({ idpId }) => idpId)
}

/** Plans the deletion of actors that the directory has made, and that keep no identity. */
export async function planActors(planning: Planning): Promise<void> {
  const { work, sheet } = planning
  const made = await sortKeysOf(indexPartition(work.accountId, actors.name, 'created_by_directory_id', work.sourceId))
  const ids = made.filter((id) => losesIdentities(planning, id))
  for await (const { id, name } of rowsOf(actors, work.accountId, ids)) await sheet.add('actors', { id, name })
}
