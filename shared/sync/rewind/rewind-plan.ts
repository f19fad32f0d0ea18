import type { ActorRow } from '../../domain/actors/actor.ts'
import type { ClientRow } from '../../domain/clients/client.ts'
import type { ExternalIdentityRow } from '../../domain/external-identities/external-identity.ts'
import type { GroupRow } from '../../domain/groups/group.ts'
import type { MembershipRow } from '../../domain/memberships/membership.ts'
import type { PolicyRow } from '../../domain/policies/policy.ts'
import type { PoolMemberRow } from '../../domain/pool-members/pool-member.ts'
import type { Row } from '../../table/entity.ts'
import type { RunChange } from '../runs/run.ts'

/**
 * What a rewind brings back first (I4.1(6)): all else belongs to one of these. Once they are there, nothing that was left over
 * from their deletion goes on below them, and what went with them is known.
 */
export const ownerSections = ['actors', 'groups'] as const
export const belongingSections = ['identities', 'memberships', 'policies', 'clients', 'pool_members'] as const

/**
 * The sections of the plan of a rewind, in the order in which they are applied. A plan is stored by their numbers: what comes
 * anew comes last.
 */
export const rewindSections = [...ownerSections, ...belongingSections] as const
export type RewindSection = (typeof rewindSections)[number]

/** A row that the run has deleted. */
export type Deleted<R extends Row> = {
  row: R
  name: string
  /** When it was deleted. */
  at: string
}

/** A policy that has lost its group by the run, as that left it. */
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

const back = (object: string, name: string, after: Record<string, unknown>): RunChange => ({
  change: 'insert',
  object,
  name,
  before: null,
  after,
})

/** What an entry of the plan says to an administrator. */
const tellers: { [S in RewindSection]: (entry: RewindEntries[S]) => RunChange } = {
  actors: ({ row: { id, email }, name }) => back('actors', name, { id, name, email }),
  groups: ({ row: { id, idp_id, email, entity_type }, name }) =>
    back('groups', name, { id, idp_id, name, email, entity_type }),
  identities: ({ row: { id, idp_id, name, email, actor_id }, name: shown }) =>
    back('users', shown, { id, idp_id, name, email, actor_id }),
  memberships: ({ row: { group_id, actor_id }, name }) => back('memberships', name, { group_id, actor_id }),
  policies: ({ id, resource_id, group_id, name }) => ({
    change: 'update',
    object: 'policies',
    name,
    before: { id, resource_id, group_id: null },
    after: { id, resource_id, group_id },
  }),
  clients: ({ row: { id, actor_id, svc_id, ipv4, verified_at }, name }) =>
    back('clients', name, { id, name, actor_id, svc_id, ipv4, verified_at }),
  pool_members: ({ row: { resource_id, device_id }, name }) =>
    back('static_device_pool_members', name, { resource_id, device_id }),
}

/** A rewind as the list of changes reads it. */
export const rewindPlan = {
  sections: rewindSections.map((name) => ({ name, perCommit: 0 })),
  changeOf: (section: string, entry: unknown): RunChange => tellers[section as RewindSection](entry as never),
}
