import { fieldsOf } from '../../../core/json/is-object.ts'
import type { DirectoryGroup, DirectoryMember, DirectoryUser } from '../../directory-adapter.ts'
import { type Fields, textOf } from '../rows-of.ts'
import { type Entry, usableUser } from '../usable-user.ts'

export const isActive = ({ suspended, archived }: Fields): boolean => suspended !== true && archived !== true

/** A user of the directory; its id is the `sub` that it signs in with. The picture's address is private or passes, so it stays out. */
export function suiteUser(user: Fields & { id: string }): Entry<DirectoryUser> {
  const { fullName, givenName, familyName } = fieldsOf(user.name)
  const email = textOf(user.primaryEmail)
  return usableUser({
    idp_id: user.id,
    email,
    name: textOf(fullName),
    given_name: textOf(givenName),
    middle_name: null,
    family_name: textOf(familyName),
    nickname: null,
    preferred_username: email,
    picture: null,
    profile: null,
    svc_avatar_url: null,
    active: isActive(user),
  })
}

/** The provider writes the number as text, and counts direct members. */
export const statedMembers = ({ directMembersCount }: Fields): number | null => {
  const count = Number(directMembersCount ?? Number.NaN)
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}

export function suiteGroup(group: Fields & { id: string }): DirectoryGroup {
  const email = textOf(group.email)
  return {
    idp_id: group.id,
    name: textOf(group.name) ?? email ?? group.id,
    email,
    entity_type: 'group',
    membership_version: null,
    stated_members: statedMembers(group),
  }
}

const unitPrefix = 'ou:'
export const isUnit = (idpId: string): boolean => idpId.startsWith(unitPrefix)
export const unitId = (id: string): string => `${unitPrefix}${id}`

export function suiteUnit(unit: Fields & { id: string }): DirectoryGroup {
  return {
    idp_id: unitId(unit.id),
    name: textOf(unit.name) ?? textOf(unit.orgUnitPath) ?? unit.id,
    email: null,
    entity_type: 'org_unit',
    membership_version: null,
    stated_members: null,
  }
}

const marker = 'network-access-'

/** Whether a group is chosen by its address or its name (`group_sync_mode` `filtered`). */
export const isChosen = ({ email, name }: DirectoryGroup): boolean =>
  [email, name].some((text) => text?.toLowerCase().startsWith(marker))

/** A direct member; everybody of the customer can be one. */
export function suiteMember(member: Fields): Entry<DirectoryMember> {
  const id = textOf(member.id)
  if (member.type === 'CUSTOMER') return { entry: { everyone: true } }
  if (id && member.type === 'GROUP') return { entry: { group: id } }
  if (id && member.type === 'USER') return { entry: { user: id } }
  const email = textOf(member.email)
  return { skipped: { idp_id: id ?? email ?? '', name: email, reason: 'foreign_member' } }
}
