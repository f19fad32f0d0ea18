import { actors } from '../../../domain/actors/actor.ts'
import { externalIdentities, identityOf } from '../../../domain/external-identities/external-identity.ts'
import { stageGroupDeletion } from '../../../domain/groups/delete-group.ts'
import { type GroupRow, groups, nativeGroup } from '../../../domain/groups/group.ts'
import { type MembershipRow, memberships } from '../../../domain/memberships/membership.ts'
import { policies } from '../../../domain/policies/policy.ts'
import { itemRow } from '../../../table/entity.ts'
import { guardKey, partition, type RowPointer } from '../../../table/keys.ts'
import { findAllUnique, getItems, getRows, whichExist } from '../../../table/read.ts'
import { nothingStaged, type Staged, stagedSkip } from '../../plans/staged.ts'
import type { EndedEntry, GroupEntry, JoinedEntry, RelinkedEntry, VanishedEntry } from '../plan/directory-plan.ts'
import type { DirectoryStage } from './apply-identities.ts'

/** The most writes of a change, with its edges, guards and counters. */
export const writesPerGroup = 9
export const writesPerMembership = 3

const groupsOf = ({ transaction }: DirectoryStage, idpIds: string[]): Promise<(GroupRow | null)[]> =>
  findAllUnique(groups, transaction.accountId, 'groups.idp_id', idpIds)

/** Groups of the directory by the provider's ids; null where there is none, or where it belongs to another directory. */
const ownGroups = async (stage: DirectoryStage, idpIds: string[]): Promise<(GroupRow | null)[]> =>
  (await groupsOf(stage, idpIds)).map((group) => (group?.directory_id === stage.sourceId ? group : null))

/** New and changed groups (I4.4). */
export async function applyGroups(stage: DirectoryStage, entries: GroupEntry[]): Promise<Staged> {
  const { transaction, sourceId, provider } = stage
  const staged = nothingStaged()
  const found = await groupsOf(
    stage,
    entries.map(({ idp_id }) => idp_id),
  )
  for (const [i, { idp_id, fields, id }] of entries.entries()) {
    if (!transaction.hasRoom(writesPerGroup)) break
    const known = found[i]
    if (known && known.directory_id !== sourceId) stagedSkip(staged, idp_id, fields.name, 'other_directory')
    else if (known) {
      if (transaction.update(groups, known, { ...fields, idp_provider: provider }) !== known)
        staged.changes.push({ object: 'groups', change: 'update' })
    } else if (id !== null) stagedSkip(staged, idp_id, fields.name, 'changed_since')
    else {
      transaction.insert(groups, { ...nativeGroup, ...fields, idp_id, idp_provider: provider, directory_id: sourceId })
      staged.changes.push({ object: 'groups', change: 'insert' })
    }
    staged.handled++
  }
  return staged
}

/** Policies whose group is there again get it, unless another policy grants the same (I4.6). */
export async function applyRelinks(stage: DirectoryStage, entries: RelinkedEntry[]): Promise<Staged> {
  const { transaction, provider } = stage
  const staged = nothingStaged()
  const given = new Set<string>()
  const found = await ownGroups(
    stage,
    entries.map(({ group }) => group),
  )
  for (const [i, { id, group, name }] of entries.entries()) {
    if (!transaction.hasRoom()) break
    const row = found[i]
    const policy = await transaction.get(policies, id)
    const isLost = policy?.group_id === null && policy.group_idp_provider === provider
    if (policy && row && isLost && policy.group_idp_id === group) {
      const grant = `${row.id}#${policy.resource_id}`
      const isTaken = given.has(grant) || (await transaction.isTaken('policies.grant', grant, policy))
      if (isTaken) stagedSkip(staged, group, name, 'policy_exists')
      else {
        given.add(grant)
        transaction.update(policies, policy, { group_id: row.id })
      }
    }
    staged.handled++
  }
  return staged
}

/** Memberships that ended: what they gave ends with them (A30). */
export async function applyEnded({ transaction, sourceId }: DirectoryStage, entries: EndedEntry[]): Promise<Staged> {
  const staged = nothingStaged()
  const { accountId } = transaction
  const ids = [...new Set(entries.map(({ group }) => group))]
  const [rows, members] = await Promise.all([
    getRows(groups, accountId, ids),
    getItems(entries.map(({ group, actor }) => ({ pk: partition(accountId, memberships.name, group), sk: actor }))),
  ])
  const own = new Set(rows.flatMap((row) => (row?.directory_id === sourceId ? [row.id] : [])))
  for (const [i, { group, actor }] of entries.entries()) {
    if (!transaction.hasRoom(writesPerMembership)) break
    const item = members[i]
    if (item && own.has(group)) {
      transaction.delete(memberships, itemRow(memberships, item))
      transaction.revoke({ by: 'membership', id: `${group}#${actor}` })
      staged.changes.push({ object: 'memberships', change: 'delete' })
    }
    staged.handled++
  }
  return staged
}

/** New memberships. Who has no identity here by now, or whose group was taken away since, is left out. */
export async function applyJoined(stage: DirectoryStage, entries: JoinedEntry[]): Promise<Staged> {
  const { transaction, issuer } = stage
  const { accountId } = transaction
  const staged = nothingStaged()
  const ids = [...new Set(entries.map(({ group }) => group))]
  const users = entries.map(({ user }) => guardKey(accountId, 'external_identities.identity', identityOf(user, issuer)))
  const [rows, identities] = await Promise.all([
    ownGroups(stage, ids),
    getItems<RowPointer>(users).then((guards) =>
      getItems(guards.map((guard) => guard?.row ?? { pk: partition(accountId, 'none'), sk: 'none' })),
    ),
  ])
  const groupOf = new Map(ids.map((id, i) => [id, rows[i] ?? null]))
  const owners = identities.map((item) => (item ? itemRow(externalIdentities, item).actor_id : 'none'))
  const placeOf = (i: number) => ({
    pk: partition(accountId, memberships.name, groupOf.get(entries[i]?.group ?? '')?.id ?? 'none'),
    sk: owners[i] ?? 'none',
  })
  const [people, isMember] = await Promise.all([
    getRows(actors, accountId, owners),
    whichExist(entries.map((_, i) => placeOf(i))),
  ])
  const joined = new Set<string>()
  for (const [i, { group: groupId }] of entries.entries()) {
    if (!transaction.hasRoom(writesPerMembership)) break
    const [group, actor] = [groupOf.get(groupId), people[i]]
    const place = `${group?.id}#${actor?.id}`
    if (group && actor && !isMember[i] && !joined.has(place)) {
      joined.add(place)
      transaction.insert(memberships, { group_id: group.id, actor_id: actor.id } satisfies Pick<
        MembershipRow,
        'group_id' | 'actor_id'
      >)
      staged.changes.push({ object: 'memberships', change: 'insert' })
    }
    staged.handled++
  }
  return staged
}

/** Groups that the snapshot has not: their policies are orphaned, which ends what they gave (A14.3). */
export async function applyVanished(
  { transaction, sourceId }: DirectoryStage,
  entries: VanishedEntry[],
): Promise<Staged> {
  const staged = nothingStaged()
  for (const { id, idp_id } of entries) {
    if (!transaction.hasRoom()) return staged
    const group = await transaction.get(groups, id)
    if (group && group.directory_id === sourceId && group.idp_id === idp_id) {
      if ((await stageGroupDeletion(transaction, group)) === 'more') return staged
      staged.changes.push({ object: 'groups', change: 'delete' })
    }
    staged.handled++
  }
  return staged
}
