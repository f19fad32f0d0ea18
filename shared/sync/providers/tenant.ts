import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import {
  type DirectoryAdapter,
  type DirectoryGroup,
  type DirectoryUser,
  fallbackIfGone,
  ProviderFault,
} from '../adapter.ts'
import { type Call, responseName } from './call.ts'
import { graph, quote, type TenantConnection } from './graph.ts'
import {
  confirmEach,
  directoryGroup,
  type EntryRow,
  memoize,
  type ProviderEntry,
  readWholeList,
  textOrNull,
  toMember,
  toProviderPage,
  usableUser,
} from './rows.ts'

/** User fields to request. Fields from other services (`aboutMe`, `skills`) would make the request fail without a licence. */
const userFields = 'id,displayName,mail,userPrincipalName,givenName,surname,accountEnabled,userType'
const groupFields = 'id,displayName,mail,securityEnabled'

/**
 * Converts a user.
 * @throws ProviderFault `fatal` if `accountEnabled` is missing, because Microsoft Graph omits it without the required permission
 */
export function tenantUser(
  call: Call,
  user: EntryRow,
  emailField: TenantConnection['emailField'],
): ProviderEntry<DirectoryUser> {
  if (typeof user.accountEnabled !== 'boolean') {
    const sentence = `${responseName(call)} returned users without accountEnabled: consent for User.Read.All is missing.`
    throw new ProviderFault('fatal', sentence)
  }
  return usableUser({
    idp_id: user.id,
    email: textOrNull(user[emailField]),
    name: textOrNull(user.displayName) ?? textOrNull(user.userPrincipalName),
    given_name: textOrNull(user.givenName),
    family_name: textOrNull(user.surname),
    preferred_username: textOrNull(user.userPrincipalName),
    active: user.accountEnabled,
  })
}

export const tenantGroup = (group: EntryRow): DirectoryGroup =>
  directoryGroup({ idp_id: group.id, name: textOrNull(group.displayName) ?? group.id, email: textOrNull(group.mail) })

/** Half of the limit for the smallest tenants, which is 3,500 resource units in 10 seconds. */
const halfOfLimits = { perSecond: 140, burst: 350 }
const rights = ['User.Read.All', 'GroupMember.Read.All', 'Application.Read.All']

const maxIds = 15
/** Number of assignments per page, low enough to read the assigned objects within seconds. */
const assignmentsPerPage = '120'

/** Microsoft Entra ID directory, read through Microsoft Graph (`identity-wire.md`, 1.3). */
export function tenantDirectory(connection: TenantConnection, fetch: GuardedFetch): DirectoryAdapter {
  const { issuer, clientId, emailField, syncAllGroups } = connection
  const list = graph(connection, fetch, rights, halfOfLimits)
  const $top = '999'
  const userOf = (call: Call, row: EntryRow) => tenantUser(call, row, emailField)
  const groupOf = (row: EntryRow) => ({ entry: tenantGroup(row) })

  /** Reads a page of users and groups assigned to the application. Returns an assignee with several roles only once. */
  async function assignments(position: string | null, perPage = assignmentsPerPage) {
    const path = `servicePrincipals(appId=${quote(clientId)})/appRoleAssignedTo`
    const query = { $top: perPage, $select: 'principalId,principalType,principalDisplayName' }
    const { rows, next, barren } = await list(path, query, position, { cost: 2, id: 'principalId' })
    const assigned = [...new Map(rows.map((row) => [row.id, row])).values()]
    const idsOf = (type: 'User' | 'Group') => assigned.flatMap((row) => (row.principalType === type ? [row.id] : []))
    return { assigned, users: idsOf('User'), groups: idsOf('Group'), next, barren }
  }

  async function byIds(path: string, $select: string, ids: string[]) {
    const found: { call: Call; row: EntryRow }[] = []
    for (let at = 0; at < ids.length; at += maxIds) {
      const some = ids.slice(at, at + maxIds).map(quote)
      const { call, rows } = await list(path, { $filter: `id in (${some.join(',')})`, $select }, null)
      found.push(...rows.map((row) => ({ call, row })))
    }
    return found
  }

  async function assignedUsers(position: string | null) {
    const { assigned, users, next, barren } = await assignments(position)
    const rows = await byIds('users', userFields, users)
    const page = toProviderPage({ rows, next, barren }, ({ call, row }) => userOf(call, row))
    for (const { id, principalType, principalDisplayName } of assigned) {
      if (principalType === 'User' || principalType === 'Group') continue
      page.skipped.push({ idp_id: id, name: textOrNull(principalDisplayName), reason: 'not_a_person' })
    }
    return page
  }

  async function assignedGroups(position: string | null) {
    const { groups, next, barren } = await assignments(position)
    return toProviderPage({ rows: await byIds('groups', groupFields, groups), next, barren }, ({ row }) => groupOf(row))
  }

  const allAssigned = memoize(async () => {
    const found = { users: new Set<string>(), groups: new Set<string>() }
    for await (const { users, groups } of readWholeList('assignments', (position) => assignments(position, $top))) {
      for (const id of users) found.users.add(id)
      for (const id of groups) found.groups.add(id)
    }
    return found
  })

  async function isInOneOf(groups: Set<string>, user: string): Promise<boolean> {
    const path = `users/${encodeURIComponent(user)}/transitiveMemberOf/microsoft.graph.group`
    const read = (position: string | null) =>
      fallbackIfGone(list(path, { $top, $select: 'id' }, position, { cost: 4 }), {
        rows: [],
        next: null,
        barren: false,
      })
    for await (const { rows } of readWholeList('groups of a user', read)) {
      if (rows.some(({ id }) => groups.has(id))) return true
    }
    return false
  }

  const confirmAssigned = confirmEach(async (id) => {
    const { users, groups } = await allAssigned.get()
    return users.has(id) || isInOneOf(groups, id)
  })

  return {
    issuer,
    async users(position) {
      if (!syncAllGroups) return assignedUsers(position)
      const page = await list('users', { $top, $select: userFields }, position)
      return toProviderPage(page, (row) => userOf(page.call, row))
    },
    async groups(position) {
      if (!syncAllGroups) return assignedGroups(position)
      return toProviderPage(await list('groups', { $top, $select: groupFields }, position), groupOf)
    },
    async members({ idp_id }, position) {
      const path = `groups/${encodeURIComponent(idp_id)}/transitiveMembers/microsoft.graph.user`
      const $select = syncAllGroups ? 'id' : userFields
      const listed = await list(path, { $top, $count: 'true', $select }, position, { cost: 4 })
      if (syncAllGroups) return toProviderPage(listed, toMember)
      const page = toProviderPage(listed, (row) => userOf(listed.call, row))
      return { ...page, entries: page.entries.map((profile) => ({ user: profile.idp_id, profile })) }
    },
    async confirm(idpIds) {
      const found = await byIds('users', 'id,accountEnabled', idpIds)
      const active = found.filter(({ row }) => row.accountEnabled !== false).map(({ row }) => row.id)
      if (syncAllGroups || active.length === 0) return active
      return confirmAssigned(active)
    },
  }
}
