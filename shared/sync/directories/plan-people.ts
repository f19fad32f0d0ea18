import { actors, hasPortalAccess } from '../../domain/actors/actor.ts'
import { type ExternalIdentityRow, externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { tokensOfIssuers } from '../../domain/external-identities/issued-tokens.ts'
import type { ProfileFields } from '../../sign-in/identities/profile-fields.ts'
import { indexPartition, type RowPointer, uniqueKey } from '../../table/keys.ts'
import { getItems, getRow, sortKeysOf } from '../../table/read.ts'
import { isInDomains } from '../../values/email.ts'
import { foldAscii } from '../../values/text.ts'
import { batches, readEntryRows, readRows } from '../runs/plan.ts'
import type { RunSkipped } from '../runs/run.ts'
import { adminHasIdentity, adminNotMatched, type IdentityEntry, type UserEntry } from './directory-plan.ts'
import { type KnownIdentity, keepsNoIdentity, type Planning, profileHash, removeIdentity } from './planning.ts'
import { profileFields, type SnapshotUser } from './snapshot.ts'

type UsableUser = Extract<SnapshotUser, { active: boolean }>

const profileOf = ({ idp_id: _idpId, active: _active, ...profile }: UsableUser): ProfileFields => profile

function toUserEntry(
  user: UsableUser,
  over: KnownIdentity | null,
  row: ExternalIdentityRow | null,
  actor: string | null,
) {
  const was = row && { idp_id: row.idp_id, ...profileFields(row) }
  return { idp_id: user.idp_id, profile: profileOf(user), over: over?.id ?? null, actor, was } satisfies UserEntry
}

const toIdentityEntry = ({ id, idp_id, name, email }: ExternalIdentityRow): IdentityEntry => ({
  id,
  idp_id,
  name,
  email,
})

function skipPerson({ work, people }: Planning, skipped: RunSkipped, actor: string | null = null): void {
  work.skip(skipped)
  people.set(skipped.idp_id, { actor, state: 'unusable' })
}

/** Collects all people of the snapshot and plans changes to existing identities. Returns the identities of inactive people. */
export async function planKnownUsers(planning: Planning): Promise<KnownIdentity[]> {
  const { work, planWriter, people } = planning
  const inactive: KnownIdentity[] = []
  for await (const batch of batches(findChangedUsers(planning, inactive))) {
    const identities = batch.map(({ identity }) => identity)
    const rows = await readEntryRows(externalIdentities, work.accountId, identities)
    for (const [i, { user, identity }] of batch.entries()) {
      await planWriter.add('users', toUserEntry(user, identity, rows[i] ?? null, identity.actor))
    }
  }
  work.run.seen.users = [...people.values()].filter(({ state }) => state !== 'unusable').length
  return inactive
}

async function* findChangedUsers(
  planning: Planning,
  inactive: KnownIdentity[],
): AsyncGenerator<{ user: UsableUser; identity: KnownIdentity }> {
  const { work, chunks, root, domains, identities, untouchable, people } = planning
  const unusable = new Map<string, RunSkipped>()
  for await (const user of chunks.each<SnapshotUser>(root.users)) {
    const { idp_id, name } = user
    const before = people.get(idp_id)
    const identity = identities.byIdpId.get(idp_id)
    const actor = identity?.actor ?? null
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
    else if (identity?.owner === 'other') work.skip({ idp_id, name, reason: 'other_directory' })
    else if (identity?.owner === 'nobody' && untouchable.has(identity.actor)) {
      skipPerson(planning, { idp_id, name, reason: adminNotMatched }, identity.actor)
    } else if (identity && !user.active) inactive.push(identity)
    else if (identity && (identity.owner !== 'this' || identity.profileHash !== profileHash(profileOf(user)))) {
      yield { user, identity }
    }
  }
  for (const skipped of unusable.values()) work.skip(skipped)
}

/** Plans identities for people who have none. Links each person to the actor with the same email, or to a new actor (I4.3(2), I4.3(3)). */
export async function planNewUsers(planning: Planning): Promise<void> {
  const { work, planWriter, people, claimed, linked, untouchable } = planning
  const usedEmails = new Set<string>()
  for await (const batch of batches(findNewcomers(planning))) {
    const emails = batch.map(({ email }) => foldAscii(String(email)))
    const uniques = await getItems<RowPointer>(emails.map((email) => uniqueKey(work.accountId, 'actors.email', email)))
    for (const [i, user] of batch.entries()) {
      const email = emails[i] ?? ''
      const actor = uniques[i]?.row.sk ?? null
      const over = actor === null ? null : identityToTakeOver(planning, actor)
      const skip = (reason: string) => skipPerson(planning, { idp_id: user.idp_id, name: user.name, reason })
      if (actor !== null && untouchable.has(actor)) skip(adminNotMatched)
      else if (usedEmails.has(email) || over === 'in_use') skip('same_email')
      else {
        usedEmails.add(email)
        if (actor && over && (await withhold(planning, actor, over))) {
          skip(adminHasIdentity)
          continue
        }
        if (over) claimed.add(over.id)
        if (actor) linked.add(actor)
        const person = people.get(user.idp_id)
        if (person) person.actor = actor
        const [row = null] = over ? await readEntryRows(externalIdentities, work.accountId, [over]) : []
        await planWriter.add('users', toUserEntry(user, over, row, actor))
      }
    }
  }
}

async function* findNewcomers({ chunks, root, identities, people }: Planning): AsyncGenerator<UsableUser> {
  const visited = new Set<string>()
  for await (const user of chunks.each<SnapshotUser>(root.users)) {
    if ('unusable' in user || !user.active || identities.byIdpId.has(user.idp_id) || visited.has(user.idp_id)) continue
    if (people.get(user.idp_id)?.state === 'outside') continue
    visited.add(user.idp_id)
    yield user
  }
}

/**
 * Refuses to move an administrator's identity to a new subject, and plans the deletion of its tokens (I4.3(2)). Returns false if the actor
 * is not an administrator.
 */
async function withhold(
  { work, planWriter, withheld }: Planning,
  actorId: string,
  over: KnownIdentity,
): Promise<boolean> {
  const actor = await getRow(actors, work.accountId, actorId)
  if (!actor || !hasPortalAccess(actor)) return false
  withheld.add(over.id)
  const [row] = await readEntryRows(externalIdentities, work.accountId, [over])
  if (row && (await tokensOfIssuers(work, actorId, new Set([row.issuer]))).length > 0) {
    await planWriter.add('withheld', { id: row.id, idp_id: row.idp_id, actor: actorId, name: actor.name })
  }
  return true
}

/**
 * Returns the actor's identity for a new person with the same email to take over, or null if there is none. Returns `in_use` if the
 * identity is already used or claimed by someone else.
 */
function identityToTakeOver({ identities, people, claimed }: Planning, actor: string): KnownIdentity | 'in_use' | null {
  const over = identities.byActor.get(actor)
  if (!over) return null
  const isInUse = over.sameIssuer && people.get(over.idpId)?.state === 'active'
  return isInUse || claimed.has(over.id) ? 'in_use' : over
}

export async function planInactive(planning: Planning, inactive: KnownIdentity[]): Promise<void> {
  const { work, planWriter, losses, inactiveActors, withheld } = planning
  const ids = inactive.map(({ id }) => id).filter((id) => !withheld.has(id))
  for await (const row of readRows(externalIdentities, work.accountId, ids)) {
    inactiveActors.add(row.actor_id)
    removeIdentity(planning, row.actor_id)
    if (row.directory_id === work.sourceId) losses.identities.inactive++
    await planWriter.add('inactive', toIdentityEntry(row))
  }
}

/** Plans the deletion of identities that are absent or outside the domains. Returns the provider's ids of absent people. */
export async function planLostUsers(planning: Planning): Promise<string[]> {
  const { work, planWriter, losses, identities, people, claimed, withheld } = planning
  const isReused = ({ id }: KnownIdentity) => claimed.has(id) || withheld.has(id)
  const owned = [...identities.byIdpId.values()].filter((one) => one.owner === 'this' && !isReused(one))
  const gone = owned.filter(({ idpId }) => !people.has(idpId))
  const outside = owned.filter(({ idpId }) => people.get(idpId)?.state === 'outside')
  const lost = [...gone, ...outside, ...identities.stale.filter((one) => !isReused(one))].map(({ id }) => id)
  for await (const row of readRows(externalIdentities, work.accountId, lost)) {
    removeIdentity(planning, row.actor_id)
    losses.identities.lost++
    await planWriter.add('absent', { ...toIdentityEntry(row), isLast: keepsNoIdentity(planning, row.actor_id) })
  }
  return gone.map(({ idpId }) => idpId)
}

export async function planActors(planning: Planning): Promise<void> {
  const { work, planWriter } = planning
  const createdIds = await sortKeysOf(
    indexPartition(work.accountId, actors.name, 'created_by_directory_id', work.sourceId),
  )
  const ids = createdIds.filter((id) => keepsNoIdentity(planning, id))
  for await (const { id, name } of readRows(actors, work.accountId, ids)) await planWriter.add('actors', { id, name })
}
