import { actors } from '../../domain/actors/actor.ts'
import { externalIdentities, identityOf } from '../../domain/external-identities/external-identity.ts'
import { type GroupRow, groups, nativeGroup } from '../../domain/groups/group.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { stageGroupDeletion } from '../../domain/rules/delete-group.ts'
import { itemRow, linkKey } from '../../table/entity.ts'
import { checkExistence, findAllUnique, getItems, getRows } from '../../table/read.ts'
import { type StagedChange, stageEach } from '../runs/plan.ts'
import type { DirectoryStageContext } from './apply-identities.ts'
import type { Entries } from './directory-plan.ts'

/** Maximum number of writes per change of a group, including index items, unique items and counters. */
export const writesPerGroup = 9
/** Maximum number of writes per membership: the row, the chunk of the group's member ids, and the group's row counter. */
export const writesPerMembership = 3

const findGroups = ({ transaction }: DirectoryStageContext, idpIds: string[]): Promise<(GroupRow | null)[]> =>
  findAllUnique(groups, transaction.accountId, 'groups.idp_id', idpIds)

const findOwnGroups = async (stage: DirectoryStageContext, idpIds: string[]): Promise<(GroupRow | null)[]> =>
  (await findGroups(stage, idpIds)).map((group) => (group?.directory_id === stage.sourceId ? group : null))

/** Inserts new groups and updates changed ones (I4.4). Skips a group that belongs to another directory or was deleted after planning. */
export async function applyGroups(stage: DirectoryStageContext, entries: Entries<'groups'>): Promise<StagedChange> {
  const { transaction, sourceId, provider } = stage
  const ids = entries.map(({ idp_id }) => idp_id)
  const found = await findGroups(stage, ids)
  return stageEach(transaction, 'groups', entries, writesPerGroup, ({ idp_id, fields, id }, i) => {
    const existing = found[i]
    if (existing && existing.directory_id !== sourceId) return { idp_id, name: fields.name, reason: 'other_directory' }
    if (existing) {
      const after = transaction.update(groups, existing, { ...fields, idp_provider: provider })
      return after === existing ? undefined : 'update'
    }
    if (id !== null) return { idp_id, name: fields.name, reason: 'changed_since' }
    transaction.insert(groups, { ...nativeGroup, ...fields, idp_id, idp_provider: provider, directory_id: sourceId })
    return 'insert'
  })
}

/**
 * Links orphaned policies to their restored groups (I4.6). Skips a policy if a different policy already links the same group and resource.
 */
export async function applyRelinks(stage: DirectoryStageContext, entries: Entries<'relinked'>): Promise<StagedChange> {
  const { transaction, provider } = stage
  const relinkedGrants = new Set<string>()
  const ids = entries.map(({ group }) => group)
  const found = await findOwnGroups(stage, ids)
  return stageEach(transaction, 'policies', entries, undefined, async ({ id, group, name }, i) => {
    const row = found[i]
    const policy = await transaction.get(policies, id)
    const isLost = policy?.group_id === null && policy.group_idp_provider === provider
    if (!row || !isLost || policy.group_idp_id !== group) return
    const grant = `${row.id}#${policy.resource_id}`
    const isTaken = relinkedGrants.has(grant) || (await transaction.isTaken('policies.grant', grant, policy))
    if (isTaken) return { idp_id: group, name, reason: 'policy_exists' }
    relinkedGrants.add(grant)
    transaction.update(policies, policy, { group_id: row.id })
    return 'update'
  })
}

/** Deletes ended memberships and revokes the access that they granted (A30). Ignores groups of other directories. */
export async function applyEnded({ transaction, sourceId }: DirectoryStageContext, entries: Entries<'ended'>) {
  const { accountId } = transaction
  const ids = [...new Set(entries.map(({ group }) => group))]
  const [rows, members] = await Promise.all([
    getRows(groups, accountId, ids),
    getItems(entries.map(({ group, actor }) => linkKey(memberships, accountId, { set: group, member: actor }))),
  ])
  const ownIds = new Set(rows.flatMap((row) => (row?.directory_id === sourceId ? [row.id] : [])))
  return stageEach(transaction, 'memberships', entries, writesPerMembership, ({ group, actor }, i) => {
    const item = members[i]
    if (!item || !ownIds.has(group)) return
    transaction.delete(memberships, itemRow(memberships, item))
    transaction.revoke({ by: 'membership', id: group, actors: [actor] })
    return 'delete'
  })
}

/** Inserts new memberships. Ignores people and groups that were deleted after planning. */
export async function applyJoined(stage: DirectoryStageContext, entries: Entries<'joined'>): Promise<StagedChange> {
  const { transaction, issuer } = stage
  const { accountId } = transaction
  const ids = [...new Set(entries.map(({ group }) => group))]
  const users = entries.map(({ user }) => identityOf(user, issuer))
  const [rows, identities] = await Promise.all([
    findOwnGroups(stage, ids),
    findAllUnique(externalIdentities, accountId, 'external_identities.identity', users),
  ])
  const groupOf = new Map(ids.map((id, i) => [id, rows[i] ?? null]))
  const owners = identities.map((identity) => identity?.actor_id ?? 'none')
  const keys = entries.map(({ group }, i) =>
    linkKey(memberships, accountId, { set: groupOf.get(group)?.id ?? 'none', member: owners[i] ?? 'none' }),
  )
  const [people, isMember] = await Promise.all([getRows(actors, accountId, owners), checkExistence(keys)])
  const joinedKeys = new Set<string>()
  return stageEach(transaction, 'memberships', entries, writesPerMembership, ({ group: groupId }, i) => {
    const [group, actor] = [groupOf.get(groupId), people[i]]
    const key = `${group?.id}#${actor?.id}`
    if (!group || !actor || isMember[i] || joinedKeys.has(key)) return
    joinedKeys.add(key)
    transaction.insert(memberships, { group_id: group.id, actor_id: actor.id })
    return 'insert'
  })
}

/** Deletes groups that are missing from the snapshot. Keeps their policies, which then have no group (A14.3(4)). */
export function applyVanished({ transaction, sourceId }: DirectoryStageContext, entries: Entries<'vanished'>) {
  return stageEach(transaction, 'groups', entries, undefined, async ({ id, idp_id }) => {
    const group = await transaction.get(groups, id)
    if (group?.directory_id !== sourceId || group.idp_id !== idp_id) return
    return (await stageGroupDeletion(transaction, group)) === 'more' ? 'more' : 'delete'
  })
}
