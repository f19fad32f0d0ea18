import { fieldsOf } from '../../../core/json/is-object.ts'
import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import { foldAscii } from '../../../values/fold-ascii.ts'
import type { DirectoryAdapter, DirectoryMember, MembersOf } from '../../directory-adapter.ts'
import type { Page } from '../../page.ts'
import { ProviderFault } from '../../provider-fault.ts'
import { ask, bearer, type Provider } from '../ask.ts'
import type { Call } from '../call.ts'
import { confirmEach } from '../confirm-each.ts'
import { evenPace } from '../pace.ts'
import { pageOf } from '../page-of.ts'
import { PageWatch } from '../page-watch.ts'
import { remembered } from '../remembered.ts'
import { type Fields, invalidData, nextPlace, rowsOf, textOf } from '../rows-of.ts'
import type { SuiteConnection } from './connection.ts'
import { suiteFault } from './errors.ts'
import {
  isActive,
  isChosen,
  isUnit,
  statedMembers,
  suiteGroup,
  suiteMember,
  suiteUnit,
  suiteUser,
  unitId,
} from './mapping.ts'
import { suiteTokens } from './token.ts'

const userFields = 'id,primaryEmail,name(fullName,givenName,familyName),suspended,archived'

/** Half of 2,400 a minute and user; the provider tells nothing of what is left. */
const half = { perSecond: 18, burst: 100 }

/** Identifies an entry; a member without an id by its email. */
const idOf = ({ id, email }: Fields): string => String(id ?? email)

/** Where the list of groups goes on: groups by the provider's cursor, then units, which are one answer. */
const unitsPosition = 'units'
const groupsPosition = (cursor: string) => `groups ${cursor}`

/** Google Workspace: Admin SDK, Directory API (`identity-wire.md`, 1.1). */
export function suiteDirectory(connection: SuiteConnection, fetch: GuardedFetch): DirectoryAdapter {
  const { domain, groupSyncMode, orgunitSyncEnabled } = connection
  const watch = new PageWatch()
  const provider: Provider = {
    secrets: [],
    tokens: suiteTokens(connection, fetch),
    pace: evenPace(half),
    send: bearer(fetch),
    faultOf: suiteFault(orgunitSyncEnabled),
  }

  const get = async (path: string, query: Record<string, string | null> = {}, nested = false) => {
    const url = new URL(`${connection.apiUrl}/admin/directory/v1/${path}`)
    for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value)
    const call: Call & { nested: boolean } = { url, continues: Boolean(query.pageToken), nested }
    const { json } = await ask(provider, call)
    const body = fieldsOf(json)
    const asked = query.pageToken ?? null
    const next = nextPlace(call, textOf(body.nextPageToken), asked)
    const isBarren = (rows: Fields[]) => watch.isBarren(`${path} ${query.query ?? ''}`, rows.map(idOf), asked, next)
    return { call, body, next, isBarren }
  }

  /** Lists that the provider leaves out when they are empty; that of the users is none of them. */
  const rowsOrNone = (call: Call, body: Fields, name: string, id?: string) =>
    body[name] === undefined ? [] : rowsOf(call, body[name], name, id)

  const whose: Record<string, string> = domain === null ? { customer: 'my_customer' } : { domain }

  async function readUsers(query: Record<string, string | null>) {
    const fields = `nextPageToken,users(${userFields})`
    return get('users', { ...whose, maxResults: '500', projection: 'basic', orderBy: 'email', fields, ...query })
  }

  async function readUnits() {
    const { call, body } = await get('customer/my_customer/orgunits', { type: 'all' })
    return rowsOrNone(call, body, 'organizationUnits', 'orgUnitId')
  }
  /** Paths of the units by their ids, which is what their members are asked by. */
  const unitPaths = remembered(async () => {
    const units = await readUnits()
    return new Map(units.map((unit) => [unitId(unit.id), textOf(unit.orgUnitPath) ?? '']))
  })

  /** Who is in a unit or below it. */
  async function unitMembers(idpId: string, position: string | null): Promise<Page<DirectoryMember>> {
    const path = (await unitPaths.get()).get(idpId)
    if (!path) throw new ProviderFault('object_gone', `The organisational unit ${idpId} is gone.`)
    const query = `orgUnitPath='${path.replace(/['\\]/g, '\\$&')}'`
    const { call, body, next, isBarren } = await readUsers({ query, pageToken: position })
    const rows = rowsOrNone(call, body, 'users')
    return { entries: rows.map(({ id }) => ({ user: id })), skipped: [], next, barren: isBarren(rows) }
  }

  /** A group whose members are missing, though it has some, is no empty group. */
  async function checkCount(path: string, call: Call): Promise<void> {
    const { body } = await get(path, { fields: 'id,directMembersCount' })
    if ((statedMembers(body) ?? 0) > 0) throw invalidData(call, 'the group has members, and none are listed')
  }

  async function groupMembers(group: MembersOf, position: string | null): Promise<Page<DirectoryMember>> {
    const path = `groups/${encodeURIComponent(group.idp_id)}`
    const nested = 'nested' in group
    const { call, body, next, isBarren } = await get(
      `${path}/members`,
      { maxResults: '200', pageToken: position },
      nested,
    )
    const listed = body.members
    if (listed !== undefined && !Array.isArray(listed)) throw invalidData(call, 'members is no list')
    const rows = (listed ?? []).map(fieldsOf)
    const isEmpty = rows.length === 0 && next === null && position === null
    if (isEmpty && !nested && (group.stated_members ?? 0) > 0) await checkCount(path, call)
    return pageOf(rows.map(suiteMember), next, isBarren(rows))
  }

  async function isKnown(id: string): Promise<boolean> {
    try {
      const { body } = await get(
        `users/${encodeURIComponent(id)}`,
        { fields: 'id,primaryEmail,suspended,archived' },
        true,
      )
      const isOfDomain = domain === null || foldAscii(textOf(body.primaryEmail) ?? '').endsWith(`@${foldAscii(domain)}`)
      return isActive(body) && isOfDomain === true
    } catch (error) {
      if (error instanceof ProviderFault && error.faultClass === 'object_gone') return false
      throw error
    }
  }

  return {
    issuer: connection.issuer,
    async users(position) {
      const { call, body, next, isBarren } = await readUsers({ pageToken: position })
      const rows = rowsOf(call, body.users, 'users')
      return pageOf(rows.map(suiteUser), next, isBarren(rows))
    },
    async groups(position) {
      if (position === unitsPosition || (position === null && groupSyncMode === 'disabled')) {
        if (!orgunitSyncEnabled) return pageOf([], null)
        unitPaths.forget()
        return pageOf(
          (await readUnits()).map((unit) => ({ entry: suiteUnit(unit) })),
          null,
        )
      }
      const pageToken = position === null ? null : position.slice(groupsPosition('').length)
      const { call, body, next, isBarren } = await get('groups', {
        customer: 'my_customer',
        maxResults: '200',
        pageToken,
      })
      const rows = rowsOrNone(call, body, 'groups')
      const found = rows.map(suiteGroup)
      const chosen = groupSyncMode === 'filtered' ? found.filter(isChosen) : found
      const after = orgunitSyncEnabled ? unitsPosition : null
      return pageOf(
        chosen.map((entry) => ({ entry })),
        next === null ? after : groupsPosition(next),
        isBarren(rows),
      )
    },
    members: (group, position) =>
      isUnit(group.idp_id) ? unitMembers(group.idp_id, position) : groupMembers(group, position),
    confirm: confirmEach(isKnown),
  }
}
