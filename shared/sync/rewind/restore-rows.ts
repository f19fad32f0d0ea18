import { mayAdminister } from '../../commit/check-administration.ts'
import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type ActorRow, actors, hasPortalAccess } from '../../domain/actors/actor.ts'
import { clientOfRecord, clients } from '../../domain/clients/client.ts'
import { type ExternalIdentityRow, externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { groups } from '../../domain/groups/group.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { poolMembers } from '../../domain/pool-members/pool-member.ts'
import { resources } from '../../domain/resources/resource.ts'
import { type Entity, type Row, rowKey } from '../../table/entity.ts'
import { uniqueKey } from '../../table/keys.ts'
import { checkExistence, getRows } from '../../table/read.ts'
import { foldAscii } from '../../values/text.ts'
import { type StageContext, type StagedChange, stageEach } from '../runs/plan.ts'
import type { DeletedRow, OrphanedPolicy, RewindEntries } from './rewind-plan.ts'

/** Owner of a row. If the owner no longer exists, the row is skipped with `missingReason`. */
type Owner<R extends Row> = { entity: Entity; missingReason: string; idOf(row: R): string }

export type Restoration<R extends Row = Row> = {
  entity: Entity<R>
  /** Kind of object under which the run counts the row. */
  object: string
  /** Number of writes per row, including unique items, index items and counters. */
  writes: number
  perCommit: number
  idOf(row: R): string
  /** Returns the name of the row in the plan. By default, the name consists of the names of the owners. */
  nameOf?(row: R): string
  owners?: readonly Owner<R>[]
  isUnchanged?(deleted: DeletedRow<R>, actor: ActorRow | null): boolean
  /** Returns whether the row grants administration. If it does, only a caller who may administer can restore it. */
  isAdministration?(row: R, actor: ActorRow | null): boolean
  /** Converts a row from a commit record to stored form; by default, the row already has that form. */
  toRow?(recorded: Record<string, unknown>): R
}

const actorOwner = { entity: actors, missingReason: 'actor_gone', idOf: (row: { actor_id: string }) => row.actor_id }
const nameOf = ({ name }: { name: string }) => name

const foldEmail = (email: string | null) => (email === null ? null : foldAscii(email))

/**
 * Returns whether an identity still has its actor's email. Restoring the identity after a change of email would permit sign-ins with the
 * old email (A12.5).
 */
const matchesActorEmail = ({ row, at }: DeletedRow<ExternalIdentityRow>, actor: ActorRow | null): boolean =>
  actor === null || actor.updated_at <= at || foldEmail(actor.email) === foldEmail(row.email)

export type RewindContext = StageContext & { author: Author }

type Restorable = Exclude<keyof RewindEntries, 'policies'>

export const restorations: { readonly [S in Restorable]: Restoration<RewindEntries[S]['row']> } = {
  actors: {
    entity: actors,
    object: 'actors',
    writes: 12,
    perCommit: 10,
    idOf: ({ id }) => id,
    nameOf,
    isAdministration: hasPortalAccess,
  },
  groups: {
    entity: groups,
    object: 'groups',
    writes: 9,
    perCommit: 18,
    idOf: ({ id, idp_id }) => idp_id ?? id,
    nameOf,
  },
  identities: {
    entity: externalIdentities,
    object: 'users',
    writes: 6,
    perCommit: 15,
    idOf: ({ idp_id }) => idp_id,
    nameOf: ({ name, email, idp_id }) => name ?? email ?? idp_id,
    owners: [actorOwner],
    isUnchanged: matchesActorEmail,
    isAdministration: (_row, actor) => actor !== null && hasPortalAccess(actor),
  },
  memberships: {
    entity: memberships,
    object: 'memberships',
    writes: 3,
    perCommit: 46,
    idOf: ({ actor_id }) => actor_id,
    owners: [actorOwner, { entity: groups, missingReason: 'group_gone', idOf: ({ group_id }) => group_id }],
  },
  clients: {
    entity: clients,
    object: 'clients',
    writes: 10,
    perCommit: 10,
    idOf: ({ id }) => id,
    nameOf,
    owners: [actorOwner],
    toRow: clientOfRecord,
  },
  pool_members: {
    entity: poolMembers,
    object: 'static_device_pool_members',
    writes: 3,
    perCommit: 30,
    idOf: ({ device_id }) => device_id,
    owners: [
      { entity: clients, missingReason: 'client_gone', idOf: ({ device_id }) => device_id },
      { entity: resources, missingReason: 'resource_gone', idOf: ({ resource_id }) => resource_id },
    ],
  },
}

const uniqueValues = <R extends Row>({ entity }: Restoration<R>, accountId: string, row: R) =>
  Object.entries(entity.unique).flatMap(([set, read]) => {
    const value = read(row)
    return value === null ? [] : [{ key: uniqueKey(accountId, set, value), inUseReason: `${set.split('.')[1]}_taken` }]
  })

/** Stages the restoration of deleted rows. Ignores rows that exist. Skips rows whose owner is missing or whose unique value is in use. */
export async function restoreRows<R extends Row>(
  { transaction, author }: RewindContext,
  kind: Restoration<R>,
  entries: DeletedRow<R>[],
): Promise<StagedChange> {
  const { accountId } = transaction
  const rows = entries.map(({ row }) => row)
  const values = rows.map((row) => uniqueValues(kind, accountId, row))
  const [exists, isKeyUsed, ...owned] = await Promise.all([
    checkExistence(rows.map((row) => rowKey(kind.entity, accountId, row))),
    checkExistence(values.flat().map(({ key }) => key)),
    ...(kind.owners ?? []).map(async ({ entity, missingReason, idOf }) => {
      const owners = await getRows(entity, accountId, rows.map(idOf))
      return { entity, missingReason, owners }
    }),
  ])
  const people = owned.find(({ entity }) => entity.name === actors.name)?.owners as (ActorRow | null)[] | undefined
  const usedKeys = new Set(values.flat().flatMap(({ key }, i) => (isKeyUsed[i] ? [key.pk] : [])))
  return stageEach(transaction, kind.object, entries, kind.writes, (deleted, i) => {
    if (exists[i]) return
    const { row, name } = deleted
    const actor = people?.[i] ?? null
    const reason =
      owned.find(({ owners }) => !owners[i])?.missingReason ||
      values[i]?.find(({ key }) => usedKeys.has(key.pk))?.inUseReason ||
      (kind.isUnchanged?.(deleted, actor) === false && 'changed_since') ||
      (!mayAdminister(author) && kind.isAdministration?.(row, actor) && 'scope_exceeded')
    if (reason) return { idp_id: kind.idOf(row), name, reason }
    for (const { key } of values[i] ?? []) usedKeys.add(key.pk)
    transaction.restore(kind.entity, row)
    return 'insert'
  })
}

/** Number of writes per policy: the row, its unique item, its index item and the index counter. */
const writesPerPolicy = 4

/**
 * Links orphaned policies to their restored groups (I4.6). Skips a policy if a different policy already links the same group and resource.
 */
export async function relinkPolicies(transaction: Transaction, entries: OrphanedPolicy[]): Promise<StagedChange> {
  const { accountId } = transaction
  const ids = (name: 'id' | 'group_id' | 'resource_id') => entries.map((entry) => entry[name])
  const grants = entries.map(({ group_id, resource_id }) => `${group_id}#${resource_id}`)
  const [orphans, owners, targets, isGrantUsed] = await Promise.all([
    getRows(policies, accountId, ids('id')),
    getRows(groups, accountId, ids('group_id')),
    getRows(resources, accountId, ids('resource_id')),
    checkExistence(grants.map((grant) => uniqueKey(accountId, 'policies.grant', grant))),
  ])
  const usedGrants = new Set(grants.filter((_, i) => isGrantUsed[i]))
  return stageEach(transaction, 'policies', entries, writesPerPolicy, ({ id, name, group_id, updated_at }, i) => {
    const [policy, grant = ''] = [orphans[i], grants[i]]
    const skip = (reason: string) => ({ idp_id: id, name, reason })
    if (!policy) return skip('policy_gone')
    if (policy.group_id === group_id) return
    const reason =
      (!owners[i] && 'group_gone') ||
      (policy.updated_at !== updated_at && 'changed_since') ||
      (!targets[i] && 'resource_gone') ||
      (usedGrants.has(grant) && 'policy_exists')
    if (reason) return skip(reason)
    usedGrants.add(grant)
    transaction.update(policies, policy, { group_id })
    return 'update'
  })
}
