import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import type { DirectoryAdapter, DirectoryMember } from '../../directory-adapter.ts'
import type { Skipped } from '../../page.ts'
import { ProviderFault } from '../../provider-fault.ts'
import { wholeList } from '../../read/barren-pages.ts'
import { confirmEach } from '../confirm-each.ts'
import { pageOf } from '../page-of.ts'
import { remembered } from '../remembered.ts'
import { type Fields, textOf } from '../rows-of.ts'
import type { TenantConnection } from './connection.ts'
import { graph, quoted } from './graph.ts'
import { groupFields, tenantGroup, tenantUser, userFields } from './mapping.ts'

/** Half of 3,500 resource units in ten seconds, what the smallest tenants have. */
const half = { perSecond: 140, burst: 350 }
const rights = ['User.Read.All', 'GroupMember.Read.All', 'Application.Read.All']

/** The most ids that one filter takes. */
const mostIds = 15
/** Few enough assignments that the objects of a page are read within seconds. */
const assignmentsPerPage = '120'

type Assignment = { id: string; type: unknown; name: string | null }

/** Microsoft Entra ID by Microsoft Graph (`identity-wire.md`, 1.3). */
export function tenantDirectory(connection: TenantConnection, fetch: GuardedFetch): DirectoryAdapter {
  const { clientId, emailField, syncAllGroups } = connection
  const api = graph(connection, fetch, rights, half)
  const most = { $top: '999' }

  /** Who and what is assigned to the application; the same one once for each of its roles. */
  async function assignments(position: string | null, perPage = assignmentsPerPage) {
    const path = `servicePrincipals(appId=${quoted(clientId)})/appRoleAssignedTo`
    const query = { $top: perPage, $select: 'principalId,principalType,principalDisplayName' }
    const { rows, next, barren } = await api.list(path, query, position, { cost: 2, id: 'principalId' })
    const found = new Map<string, Assignment>()
    for (const row of rows) {
      found.set(row.id, { id: row.id, type: row.principalType, name: textOf(row.principalDisplayName) })
    }
    return { assigned: [...found.values()], next, barren }
  }

  /** The objects with these ids that are there. */
  async function byIds(path: string, fields: string, ids: string[]) {
    const rows: (Fields & { id: string })[] = []
    let call = null
    for (let at = 0; at < ids.length; at += mostIds) {
      const filter = `id in (${ids
        .slice(at, at + mostIds)
        .map(quoted)
        .join(',')})`
      const page = await api.list(path, { $filter: filter, $select: fields }, null)
      rows.push(...page.rows)
      call = page.call
    }
    return { call, rows }
  }

  async function assignedUsers(position: string | null) {
    const { assigned, next, barren } = await assignments(position)
    const ids = assigned.filter(({ type }) => type === 'User').map(({ id }) => id)
    const { call, rows } = await byIds('users', userFields, ids)
    const others = assigned.filter(({ type }) => type !== 'User' && type !== 'Group')
    const page = pageOf(
      rows.flatMap((row) => (call ? [tenantUser(call, row, emailField)] : [])),
      next,
      barren,
    )
    const skipped = others.map(({ id, name }): Skipped => ({ idp_id: id, name, reason: 'not_a_person' }))
    return { ...page, skipped: [...page.skipped, ...skipped] }
  }

  async function assignedGroups(position: string | null) {
    const { assigned, next, barren } = await assignments(position)
    const ids = assigned.filter(({ type }) => type === 'Group').map(({ id }) => id)
    const { rows } = await byIds('groups', groupFields, ids)
    return pageOf(
      rows.map((row) => ({ entry: tenantGroup(row) })),
      next,
      barren,
    )
  }

  /** All that is assigned: the users themselves, and groups. */
  async function allAssigned() {
    const users = new Set<string>()
    const groups = new Set<string>()
    for await (const page of wholeList('assignments', (position) => assignments(position, most.$top))) {
      for (const { id, type } of page.assigned) {
        if (type === 'User') users.add(id)
        else if (type === 'Group') groups.add(id)
      }
    }
    return { users, groups }
  }

  async function isInOneOf(groups: Set<string>, user: string): Promise<boolean> {
    const path = `users/${encodeURIComponent(user)}/transitiveMemberOf/microsoft.graph.group`
    const read = (position: string | null) =>
      api.list(path, { ...most, $select: 'id' }, position, { cost: 4 }).catch((error) => {
        if (!(error instanceof ProviderFault) || error.faultClass !== 'object_gone') throw error
        return { rows: [], next: null, barren: false }
      })
    for await (const page of wholeList('groups of a user', read)) {
      if (page.rows.some(({ id }) => groups.has(id))) return true
    }
    return false
  }

  const assigned = remembered(allAssigned)
  const confirmAssigned = confirmEach(async (id) => {
    const { users, groups } = await assigned.get()
    return users.has(id) || isInOneOf(groups, id)
  })

  return {
    issuer: connection.issuer,
    async users(position) {
      if (!syncAllGroups) return assignedUsers(position)
      const { call, rows, next, barren } = await api.list('users', { ...most, $select: userFields }, position)
      return pageOf(
        rows.map((row) => tenantUser(call, row, emailField)),
        next,
        barren,
      )
    },
    async groups(position) {
      if (!syncAllGroups) return assignedGroups(position)
      const { rows, next, barren } = await api.list('groups', { ...most, $select: groupFields }, position)
      return pageOf(
        rows.map((row) => ({ entry: tenantGroup(row) })),
        next,
        barren,
      )
    },
    async members({ idp_id }, position) {
      const path = `groups/${encodeURIComponent(idp_id)}/transitiveMembers/microsoft.graph.user`
      const $select = syncAllGroups ? 'id' : userFields
      const { call, rows, next, barren } = await api.list(path, { ...most, $count: 'true', $select }, position, {
        cost: 4,
      })
      if (syncAllGroups) return { entries: rows.map(({ id }) => ({ user: id })), skipped: [], next, barren }
      const page = pageOf(
        rows.map((row) => tenantUser(call, row, emailField)),
        next,
        barren,
      )
      const entries = page.entries.map((profile): DirectoryMember => ({ user: profile.idp_id, profile }))
      return { ...page, entries }
    },
    async confirm(idpIds) {
      const { rows } = await byIds('users', 'id,accountEnabled', idpIds)
      const active = rows.filter(({ accountEnabled }) => accountEnabled !== false).map(({ id }) => id)
      if (syncAllGroups || active.length === 0) return active
      return confirmAssigned(active)
    },
  }
}
