import { recordOf } from '../../core/json/record-of.ts'
import {
  type DirectoryKind,
  type DirectoryRow,
  directories,
  directoryKinds,
} from '../../domain/directories/directory.ts'
import type { ProfileFields } from '../../sign-in/identities/profile-fields.ts'
import { directoryObjects, type PlanDescribers, runChange, type SourceInfo } from '../runs/run.ts'

export type IdentityEntry = { id: string; idp_id: string; name: string | null; email: string | null }

export const adminHasIdentity = 'admin_has_identity'

export const adminNotMatched = 'admin_not_matched'

/**
 * Plan entry of a person. `over`: id of the identity to update; null to insert one. `actor`: id of the existing actor; null to insert one.
 * `was`: fields of the identity before the change.
 */
export type UserEntry = {
  idp_id: string
  profile: ProfileFields
  over: string | null
  actor: string | null
  was: ({ idp_id: string } & ProfileFields) | null
}

export type PlannedGroupFields = { name: string; email: string | null; entity_type: 'group' | 'org_unit' }

export type DirectoryEntries = {
  inactive: IdentityEntry
  /**
   * Identities of administrators whose email now belongs to a different subject at the provider. The identities keep their subject, but
   * their tokens are deleted (I4.3(2)).
   */
  withheld: { id: string; idp_id: string; actor: string; name: string }
  ended: { group: string; actor: string; name: string; idp_id: string }
  users: UserEntry
  groups: { idp_id: string; fields: PlannedGroupFields; id: string | null; was: PlannedGroupFields | null }
  relinked: { id: string; group: string; name: string; resource_id: string }
  joined: { group: string; user: string; name: string }
  vanished: { id: string; idp_id: string; was: PlannedGroupFields }
  /**
   * Identities that are missing from the snapshot or outside the domains. `isLast` is true if the plan leaves the actor with no other
   * identity.
   */
  absent: IdentityEntry & { isLast: boolean }
  actors: { id: string; name: string }
}

export type Entries<S extends keyof DirectoryEntries> = DirectoryEntries[S][]

const toDeletion = ({ id, idp_id, name, email }: IdentityEntry) =>
  runChange('users', name ?? email ?? idp_id, { id, idp_id, name, email }, null)

/**
 * Sections of a plan, in the order of application (I4.5). The first sections revoke access. The next ones write new and changed objects.
 * The last ones delete objects that are missing from the snapshot.
 */
export const directoryPlan: PlanDescribers<DirectoryEntries> = {
  inactive: toDeletion,
  withheld: ({ idp_id, actor, name }) => runChange('tokens', name, { actor_id: actor, idp_id }, null),
  ended: ({ name, idp_id, actor }) => runChange('memberships', name, { group_idp_id: idp_id, actor_id: actor }, null),
  users: ({ idp_id, profile, was }) =>
    runChange('users', profile.name ?? profile.email ?? idp_id, was, { idp_id, ...profile }),
  groups: ({ idp_id, fields, was }) =>
    runChange('groups', fields.name, was && { idp_id, ...was }, { idp_id, ...fields }),
  relinked: ({ id, name, group, resource_id }) => {
    const policy = { id, resource_id, group_idp_id: group }
    return runChange('policies', name, { ...policy, group: null }, { ...policy, group: name })
  },
  joined: ({ name, group, user }) => runChange('memberships', name, null, { group_idp_id: group, user_idp_id: user }),
  vanished: ({ idp_id, was }) => runChange('groups', was.name, { idp_id, ...was }, null),
  absent: toDeletion,
  actors: ({ id, name }) => runChange('actors', name, { id, name }, null),
}
export const directorySections = Object.keys(directoryPlan)

/** Minute of every even hour (UTC) at which runs begin, by kind of directory (I4.1). */
const minutes: Record<DirectoryKind, number> = { tenant: 0, suite: 20, idp: 40 }

/** Serializes the fields that determine which people are read, active and matched. Excludes secrets. */
const connectionOf = (row: DirectoryRow): string =>
  JSON.stringify([
    row.domains,
    row.domain,
    row.impersonation_email,
    row.group_sync_mode,
    row.orgunit_sync_enabled,
    row.client_id,
    row.idp_domain,
    row.tenant_id,
    row.email_field,
    row.sync_all_groups,
    row.matches_administrators,
  ])

/** Directory sources without the code of the run phases. Operations that only begin a run do not need that code. */
export const directoryInfos = recordOf(
  directoryKinds,
  (kind): SourceInfo<DirectoryRow> => ({
    entity: directories[kind],
    feature: 'idp_sync',
    minuteOf: () => minutes[kind],
    objects: directoryObjects,
    connectionOf,
  }),
)
