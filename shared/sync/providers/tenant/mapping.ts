import type { DirectoryGroup, DirectoryUser } from '../../directory-adapter.ts'
import { ProviderFault } from '../../provider-fault.ts'
import { type Call, nameOf } from '../call.ts'
import { type Fields, textOf } from '../rows-of.ts'
import { type Entry, usableUser } from '../usable-user.ts'
import type { TenantConnection } from './connection.ts'

/** Never fields that are kept elsewhere (`aboutMe`, `skills`): without a licence there they fail the whole page. */
export const userFields = 'id,displayName,mail,userPrincipalName,givenName,surname,accountEnabled,userType'
export const groupFields = 'id,displayName,mail,securityEnabled'

/**
 * A user of the tenant. Where the right to read users is missing, members are listed with their ids and nothing else; that
 * nobody knows whether somebody is active must not look as if they were not.
 */
export function tenantUser(
  call: Call,
  user: Fields & { id: string },
  emailField: TenantConnection['emailField'],
): Entry<DirectoryUser> {
  if (typeof user.accountEnabled !== 'boolean') {
    const sentence = `${nameOf(call)} answered users without accountEnabled: consent for User.Read.All is missing.`
    throw new ProviderFault('fatal', sentence)
  }
  return usableUser({
    idp_id: user.id,
    email: textOf(user[emailField]),
    name: textOf(user.displayName) ?? textOf(user.userPrincipalName),
    given_name: textOf(user.givenName),
    middle_name: null,
    family_name: textOf(user.surname),
    nickname: null,
    preferred_username: textOf(user.userPrincipalName),
    picture: null,
    profile: null,
    svc_avatar_url: null,
    active: user.accountEnabled,
  })
}

export function tenantGroup(group: Fields & { id: string }): DirectoryGroup {
  return {
    idp_id: group.id,
    name: textOf(group.displayName) ?? group.id,
    email: textOf(group.mail),
    entity_type: 'group',
    membership_version: null,
    stated_members: null,
  }
}
