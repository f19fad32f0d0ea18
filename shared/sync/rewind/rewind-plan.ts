import type { ActorRow } from '../../domain/actors/actor.ts'
import type { ClientRow } from '../../domain/clients/client.ts'
import type { ExternalIdentityRow } from '../../domain/external-identities/external-identity.ts'
import type { GroupRow } from '../../domain/groups/group.ts'
import type { MembershipRow } from '../../domain/memberships/membership.ts'
import type { PolicyRow } from '../../domain/policies/policy.ts'
import type { PoolMemberRow } from '../../domain/pool-members/pool-member.ts'
import type { Row } from '../../table/entity.ts'
import { type PlanDescribers, runChange } from '../runs/run.ts'

export type DeletedRow<R extends Row> = { row: R; name: string; at: string }

/** A policy whose group was deleted by the rewound run, with its fields right after that deletion. */
export type OrphanedPolicy = Pick<PolicyRow, 'id' | 'resource_id' | 'updated_at'> & { group_id: string; name: string }

export type RewindEntries = {
  actors: DeletedRow<ActorRow>
  groups: DeletedRow<GroupRow>
  identities: DeletedRow<ExternalIdentityRow>
  memberships: DeletedRow<MembershipRow>
  policies: OrphanedPolicy
  clients: DeletedRow<ClientRow>
  pool_members: DeletedRow<PoolMemberRow>
}

export type RewindSection = keyof RewindEntries

const toInsertion = (object: string, name: string, after: Record<string, unknown>) =>
  runChange(object, name, null, after)

/**
 * Sections of a rewind plan, in the order of application (I4.1(6)). Owners come first: once they exist, the rows that belong to them are no
 * longer deleted. Stored plans refer to sections by number, so new sections must be added at the end.
 */
export const rewindPlan: PlanDescribers<RewindEntries> = {
  actors: ({ row: { id, email }, name }) => toInsertion('actors', name, { id, name, email }),
  groups: ({ row: { id, idp_id, email, entity_type }, name }) =>
    toInsertion('groups', name, { id, idp_id, name, email, entity_type }),
  identities: ({ row: { id, idp_id, name, email, actor_id }, name: label }) =>
    toInsertion('users', label, { id, idp_id, name, email, actor_id }),
  memberships: ({ row: { group_id, actor_id }, name }) => toInsertion('memberships', name, { group_id, actor_id }),
  policies: ({ id, resource_id, group_id, name }) =>
    runChange('policies', name, { id, resource_id, group_id: null }, { id, resource_id, group_id }),
  clients: ({ row: { id, actor_id, svc_id, ipv4, verified_at }, name }) =>
    toInsertion('clients', name, { id, name, actor_id, svc_id, ipv4, verified_at }),
  pool_members: ({ row: { resource_id, device_id }, name }) =>
    toInsertion('static_device_pool_members', name, { resource_id, device_id }),
}

export const rewindSections = Object.keys(rewindPlan) as RewindSection[]
/** Sections of actors and groups, which own the rows of all other sections. */
export const ownerSections = rewindSections.slice(0, 2)
export const belongingSections = rewindSections.slice(2)
