import { fieldsOf } from '../../../core/json/is-object.ts'
import type { DirectoryGroup, DirectoryUser } from '../../directory-adapter.ts'
import { type Fields, textOf } from '../rows-of.ts'
import { type Entry, usableUser } from '../usable-user.ts'

/** Who may sign in, or will once it has set a password or asked for help. */
const activeStatuses = ['ACTIVE', 'STAGED', 'PROVISIONED', 'RECOVERY', 'PASSWORD_EXPIRED', 'LOCKED_OUT']

export const isActive = ({ status }: Fields): boolean => activeStatuses.includes(String(status))

/** A user of the management API. */
export function idpUser(user: Fields & { id: string }): Entry<DirectoryUser> {
  const profile = fieldsOf(user.profile)
  const given = textOf(profile.firstName)
  const family = textOf(profile.lastName)
  return usableUser({
    idp_id: user.id,
    email: textOf(profile.email),
    name: textOf(profile.displayName) ?? textOf([given, family].filter(Boolean).join(' ')),
    given_name: given,
    middle_name: textOf(profile.middleName),
    family_name: family,
    nickname: textOf(profile.nickName),
    preferred_username: textOf(profile.login),
    picture: null,
    profile: textOf(profile.profileUrl),
    svc_avatar_url: null,
    active: isActive(user),
  })
}

/** A group that is assigned to an application. */
export function idpGroup(group: Fields & { id: string }): DirectoryGroup {
  return {
    idp_id: group.id,
    name: textOf(fieldsOf(group.profile).name) ?? group.id,
    email: null,
    entity_type: 'group',
    membership_version: textOf(group.lastMembershipUpdated),
    stated_members: null,
  }
}

/** Whether people sign in with the application: services and applications of other protocols are none. */
export function isSignInApp(app: Fields): boolean {
  const { application_type } = fieldsOf(fieldsOf(app.settings).oauthClient)
  return app.status === 'ACTIVE' && app.signOnMode === 'OPENID_CONNECT' && application_type !== 'service'
}
