import { mayAdminister } from '../../commit/check-administration.ts'
import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type ActorRow, actors } from '../../domain/actors/actor.ts'
import { type ClientRow, clients } from '../../domain/clients/client.ts'
import { type ExternalIdentityRow, externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { type GroupRow, groups } from '../../domain/groups/group.ts'
import { type MembershipRow, memberships } from '../../domain/memberships/membership.ts'
import { type PoolMemberRow, poolMembers } from '../../domain/pool-members/pool-member.ts'
import { type ResourceRow, resources } from '../../domain/resources/resource.ts'
import { type Entity, type Row, rowKey } from '../../table/entity.ts'
import { guardKey } from '../../table/keys.ts'
import { getRows, whichExist } from '../../table/read.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { nothingStaged, type Staged, stagedSkip } from '../plans/staged.ts'
import type { Deleted } from './rewind-plan.ts'

type Owner<R, O extends Row> = {
  entity: Entity<O>
  id: keyof R & string
  /** Why its own do not come back without it. */
  gone: string
}

/** How rows of one kind come back. */
type Restoration<R extends Row> = {
  entity: Entity<R>
  /** What runs count it as. */
  object: string
  /** What one takes of a commit, with its guards, edges and counters. */
  writes: number
  /** What the list of those that were skipped calls it. */
  told(row: R): string
  actor?: Owner<R, ActorRow>
  group?: Owner<R, GroupRow>
  client?: Owner<R, ClientRow>
  resource?: Owner<R, ResourceRow>
  /** Whether the actor that it was of is still the same person. */
  isSame?(deleted: Deleted<R>, actor: ActorRow | null): boolean
  /** Returns whether the row gives somebody administration. Only a caller who may administer restores such a row. */
  isAdministration?(row: R, actor: ActorRow | null): boolean
}

const ofActor = { entity: actors, id: 'actor_id', gone: 'actor_gone' } as const
const ofGroup = { entity: groups, id: 'group_id', gone: 'group_gone' } as const

const folded = (email: string | null) => (email === null ? null : foldAscii(email))

/**
 * An identity is that of the person whose address its actor has. Where that was changed since, nobody may sign in by the old one
 * (A12.5).
 */
const isSamePerson = ({ row, at }: Deleted<ExternalIdentityRow>, actor: ActorRow | null): boolean =>
  actor === null || actor.updated_at <= at || folded(actor.email) === folded(row.email)

export const restorations = {
  actors: {
    entity: actors,
    object: 'actors',
    writes: 11,
    told: ({ id }) => id,
    isAdministration: ({ type }) => type === 'account_admin_user',
  } satisfies Restoration<ActorRow>,
  groups: {
    entity: groups,
    object: 'groups',
    writes: 9,
    told: ({ id, idp_id }) => idp_id ?? id,
  } satisfies Restoration<GroupRow>,
  identities: {
    entity: externalIdentities,
    object: 'users',
    writes: 6,
    told: ({ idp_id }) => idp_id,
    actor: ofActor,
    isSame: isSamePerson,
    isAdministration: (_row, actor) => actor?.type === 'account_admin_user',
  } satisfies Restoration<ExternalIdentityRow>,
  memberships: {
    entity: memberships,
    object: 'memberships',
    writes: 3,
    told: ({ actor_id }) => actor_id,
    actor: ofActor,
    group: ofGroup,
  } satisfies Restoration<MembershipRow>,
  clients: {
    entity: clients,
    object: 'clients',
    writes: 10,
    told: ({ id }) => id,
    actor: ofActor,
  } satisfies Restoration<ClientRow>,
  pool_members: {
    entity: poolMembers,
    object: 'static_device_pool_members',
    writes: 3,
    told: ({ device_id }) => device_id,
    client: { entity: clients, id: 'device_id', gone: 'client_gone' },
    resource: { entity: resources, id: 'resource_id', gone: 'resource_gone' },
  } satisfies Restoration<PoolMemberRow>,
}

/** The values of a row that no other may have, by what it is called when another has. */
const uniqueValues = <R extends Row>({ entity }: Restoration<R>, accountId: string, row: R) =>
  Object.entries(entity.unique).flatMap(([set, read]) => {
    const value = read(row)
    return value === null ? [] : [{ key: guardKey(accountId, set, value), taken: `${set.split('.')[1]}_taken` }]
  })

/**
 * Stages rows that a run has deleted, as they were. What is there already is passed over; what cannot be, because another has
 * its name by now, or because what it belongs to is gone, is skipped and told.
 */
export async function bringBack<R extends Row>(
  transaction: Transaction,
  author: Author,
  kind: Restoration<R>,
  entries: Deleted<R>[],
): Promise<Staged> {
  const { accountId } = transaction
  const rows = entries.map(({ row }) => row)
  const ownersOf = async <O extends Row>(owner: Owner<R, O> | undefined) =>
    owner
      ? getRows(
          owner.entity,
          accountId,
          rows.map((row) => String(row[owner.id])),
        )
      : null
  const values = rows.map((row) => uniqueValues(kind, accountId, row))
  const [areThere, people, teams, devices, targets, held] = await Promise.all([
    whichExist(rows.map((row) => rowKey(kind.entity, accountId, row))),
    ownersOf(kind.actor),
    ownersOf(kind.group),
    ownersOf(kind.client),
    ownersOf(kind.resource),
    whichExist(values.flat().map(({ key }) => key)),
  ])
  const taken = new Set(values.flat().flatMap(({ key }, i) => (held[i] ? [key.pk] : [])))
  const staged = nothingStaged()
  for (const [i, deleted] of entries.entries()) {
    if (!transaction.hasRoom(kind.writes)) break
    staged.handled++
    if (areThere[i]) continue
    const { row, name } = deleted
    const actor = people?.[i] ?? null
    const reason =
      (people && !actor && kind.actor?.gone) ||
      (teams && !teams[i] && kind.group?.gone) ||
      (devices && !devices[i] && kind.client?.gone) ||
      (targets && !targets[i] && kind.resource?.gone) ||
      values[i]?.find(({ key }) => taken.has(key.pk))?.taken ||
      (kind.isSame?.(deleted, actor) === false && 'changed_since') ||
      (!mayAdminister(author) && kind.isAdministration?.(row, actor) && 'scope_exceeded')
    if (reason) {
      stagedSkip(staged, kind.told(row), name, reason)
      continue
    }
    for (const { key } of values[i] ?? []) taken.add(key.pk)
    transaction.restore(kind.entity, row)
    staged.changes.push({ object: kind.object, change: 'insert' })
  }
  return staged
}
