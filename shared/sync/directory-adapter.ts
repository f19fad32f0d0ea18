import type { ProfileFields } from '../sign-in/identities/profile-fields.ts'
import type { Page } from './page.ts'

/** What a directory tells of a person (I4.2). Texts may be longer than what is stored. */
type Profile = { idp_id: string; name: string } & Omit<ProfileFields, 'email' | 'name'>

/**
 * A person of the directory. One that is not active is told all the same, email or none: that the provider names it is the
 * evidence by which its access ends.
 */
export type DirectoryUser = Profile & ({ active: true; email: string } | { active: false; email: string | null })

export type DirectoryGroup = {
  idp_id: string
  name: string
  email: string | null
  entity_type: 'group' | 'org_unit'
  /** While this text stays the same, so do the group's members; null where the provider does not tell. */
  membership_version: string | null
  /** How many direct members the provider says there are. To be handed back to `members`, which compares. */
  stated_members: number | null
}

/** The group whose members are asked for: one of the list, or one that is a member of another and known by its id alone. */
export type MembersOf = Pick<DirectoryGroup, 'idp_id' | 'entity_type' | 'stated_members'> | NestedGroup
type NestedGroup = { idp_id: string; nested: true }

/**
 * What is in a group. `group`: another group, whose members are in this one as well. `everyone`: all users of the
 * directory. A user is a member when the directory's users have it; else it is skipped as `foreign_member`. With a
 * `profile` the member is itself one of the directory's users, and may be in no other list.
 */
export type DirectoryMember = { user: string; profile?: DirectoryUser } | { group: string } | { everyone: true }

/**
 * Reads one directory of any kind (I4.2). Each call is a few requests, made once: what fails throws a `ProviderFault`, and
 * whoever calls tries again as its class says. A token that ends is renewed here, and calls are spaced out here by what the
 * provider tells of its limits; a wait of more than some seconds is told as a fault `again`. An entry may come twice.
 */
export type DirectoryAdapter = {
  /** The issuer of the directory's identities. */
  readonly issuer: string
  users(position: string | null): Promise<Page<DirectoryUser>>
  groups(position: string | null): Promise<Page<DirectoryGroup>>
  members(group: MembersOf, position: string | null): Promise<Page<DirectoryMember>>
  /** Those of the users that the provider still knows as active and assigned, asked for one by one (I5.2). */
  confirm(idpIds: string[]): Promise<string[]>
}
