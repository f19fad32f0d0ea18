import type { ProfileFields as Profile } from '../../../sign-in/identities/profile-fields.ts'
import type { RunChange } from '../../runs/run.ts'

/**
 * The sections of a directory's plan, in the order in which they are applied (I4.5): access is taken away first, then what
 * is new comes, last goes what the directory owns and the snapshot has not.
 */
export const directorySections = [
  'inactive',
  'withheld',
  'ended',
  'users',
  'groups',
  'relinked',
  'joined',
  'vanished',
  'absent',
  'actors',
] as const
export type DirectorySection = (typeof directorySections)[number]

/** An identity that goes, as it was. */
export type IdentityEntry = { id: string; idp_id: string; name: string | null; email: string | null }

/** `isLast`: the plan leaves its actor no other identity. */
export type AbsentEntry = IdentityEntry & { isLast: boolean }

/** The reason for skipping a person whose email is that of an administrator with an identity of another subject (I4.3). */
export const adminHasIdentity = 'admin_has_identity'

/** The reason by which a run skips an administrator whom its directory may not match (A26.2(5)). */
export const adminNotMatched = 'admin_not_matched'

/** An identity of an administrator that keeps another subject than the email's. Everything that it gave ends. */
export type WithheldEntry = { id: string; idp_id: string; actor: string; name: string }

/** `over`: the identity that is updated; null for a new one. `known`: the actor that the plan found for it. */
export type UserEntry = {
  idp_id: string
  profile: Profile
  over: string | null
  known: string | null
  was: ({ idp_id: string } & Profile) | null
}

type GroupFields = { name: string; email: string | null; entity_type: 'group' | 'org_unit' }
export type GroupEntry = { idp_id: string; fields: GroupFields; id: string | null; was: GroupFields | null }

export type EndedEntry = { group: string; actor: string; name: string; idp_id: string }
export type JoinedEntry = { group: string; user: string; name: string }
export type VanishedEntry = { id: string; idp_id: string; was: GroupFields }
export type RelinkedEntry = { id: string; group: string; name: string; resource_id: string }
export type ActorEntry = { id: string; name: string }

export type DirectoryEntries = {
  inactive: IdentityEntry
  absent: AbsentEntry
  withheld: WithheldEntry
  users: UserEntry
  groups: GroupEntry
  ended: EndedEntry
  joined: JoinedEntry
  vanished: VanishedEntry
  relinked: RelinkedEntry
  actors: ActorEntry
}

/** What an entry of the plan says to an administrator. */
const tellers: { [S in DirectorySection]: (entry: DirectoryEntries[S]) => RunChange } = {
  inactive: (entry) => lost(entry),
  absent: (entry) => lost(entry),
  withheld: ({ idp_id, actor, name }) => ({
    change: 'delete',
    object: 'tokens',
    name,
    before: { actor_id: actor, idp_id },
    after: null,
  }),
  users: ({ idp_id, profile, was }) => ({
    change: was ? 'update' : 'insert',
    object: 'users',
    name: profile.name ?? profile.email ?? idp_id,
    before: was,
    after: { idp_id, ...profile },
  }),
  groups: ({ idp_id, fields, was }) => ({
    change: was ? 'update' : 'insert',
    object: 'groups',
    name: fields.name,
    before: was && { idp_id, ...was },
    after: { idp_id, ...fields },
  }),
  vanished: ({ idp_id, was }) => ({
    change: 'delete',
    object: 'groups',
    name: was.name,
    before: { idp_id, ...was },
    after: null,
  }),
  ended: ({ name, idp_id, actor }) => ({
    change: 'delete',
    object: 'memberships',
    name,
    before: { group_idp_id: idp_id, actor_id: actor },
    after: null,
  }),
  joined: ({ name, group, user }) => ({
    change: 'insert',
    object: 'memberships',
    name,
    before: null,
    after: { group_idp_id: group, user_idp_id: user },
  }),
  relinked: ({ id, name, group, resource_id }) => ({
    change: 'update',
    object: 'policies',
    name,
    before: { id, resource_id, group_idp_id: group, group: null },
    after: { id, resource_id, group_idp_id: group, group: name },
  }),
  actors: ({ id, name }) => ({ change: 'delete', object: 'actors', name, before: { id, name }, after: null }),
}

const lost = ({ id, idp_id, name, email }: IdentityEntry): RunChange => ({
  change: 'delete',
  object: 'users',
  name: name ?? email ?? idp_id,
  before: { id, idp_id, name, email },
  after: null,
})

export function changeOf<S extends DirectorySection>(section: S, entry: DirectoryEntries[S]): RunChange {
  return tellers[section](entry)
}
