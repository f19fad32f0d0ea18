import type { ActorRow } from '../../domain/actors/actor.ts'
import type { ClientRow } from '../../domain/clients/client.ts'
import type { ExternalIdentityRow } from '../../domain/external-identities/external-identity.ts'
import type { GroupRow } from '../../domain/groups/group.ts'
import type { MembershipRow } from '../../domain/memberships/membership.ts'
import type { PolicyRow } from '../../domain/policies/policy.ts'
import type { PoolMemberRow } from '../../domain/pool-members/pool-member.ts'
import type { Row } from '../../table/entity.ts'
import { change, type PlanDescribers } from '../runs/run.ts'

export type Deleted<R extends Row> = { row: R; name: string; at: string }

/** A policy that has lost its group by the run, in the state after that. */
export type Orphaned = Pick<PolicyRow, 'id' | 'resource_id' | 'updated_at'> & { group_id: string; name: string }

export type RewindEntries = {
  actors: Deleted<ActorRow>
  groups: Deleted<GroupRow>
  identities: Deleted<ExternalIdentityRow>
  memberships: Deleted<MembershipRow>
  policies: Orphaned
  clients: Deleted<ClientRow>
  pool_members: Deleted<PoolMemberRow>
}

export type RewindSection = keyof RewindEntries

const back = (object: string, name: string, after: Record<string, unknown>) => change(object, name, null, after)

/**
 * The sections of the plan of a rewind, in the order in which they are applied: first the owners (I4.1(6)), whose
 * existence ends the deletion of their belongings. Plans are stored by section number, so new sections come last.
 */
export const rewindPlan: PlanDescribers<RewindEntries> = {
  actors: ({ row: { id, email }, name }) => back('actors', name, { id, name, email }),
  groups: ({ row: { id, idp_id, email, entity_type }, name }) =>
    back('groups', name, { id, idp_id, name, email, entity_type }),
  identities: ({ row: { id, idp_id, name, email, actor_id }, name: shown }) =>
    back('users', shown, { id, idp_id, name, email, actor_id }),
  memberships: ({ row: { group_id, actor_id }, name }) => back('memberships', name, { group_id, actor_id }),
  policies: ({ id, resource_id, group_id, name }) =>
    change('policies', name, { id, resource_id, group_id: null }, { id, resource_id, group_id }),
  clients: ({ row: { id, actor_id, svc_id, ipv4, verified_at }, name }) =>
    back('clients', name, { id, name, actor_id, svc_id, ipv4, verified_at }),
  pool_members: ({ row: { resource_id, device_id }, name }) =>
    back('static_device_pool_members', name, { resource_id, device_id }),
}

export const rewindSections = Object.keys(rewindPlan) as RewindSection[]
/** Sections of the owners of all other rows. */
export const ownerSections = rewindSections.slice(0, 2)
export const belongingSections = rewindSections.slice(2)
