import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { foldAscii } from '../../values/text.ts'
import {
  type DirectoryAdapter,
  type DirectoryGroup,
  type DirectoryMember,
  type DirectoryUser,
  fallbackIfGone,
  type GroupRef,
  ProviderFault,
  type ProviderPage,
} from '../adapter.ts'
import { bearer, type Call, get, type Provider, type ResponseFields } from './call.ts'
import { requestPace } from './pace.ts'
import {
  checkNextPosition,
  confirmEach,
  directoryGroup,
  type EntryRow,
  entriesOfResponse,
  invalidData,
  memoize,
  PageWatch,
  type ProviderEntry,
  textOrNull,
  toMember,
  toProviderPage,
  usableUser,
} from './rows.ts'
import { type SuiteConnection, suiteFault, suiteTokens } from './suite-token.ts'

const isActive = ({ suspended, archived }: ResponseFields): boolean => suspended !== true && archived !== true

/** Converts a user. The id equals the `sub` claim when the user signs in. Omits the picture, because its URL is private or expires. */
export function suiteUser(user: EntryRow): ProviderEntry<DirectoryUser> {
  const { fullName, givenName, familyName } = fieldsOf(user.name)
  const email = textOrNull(user.primaryEmail)
  return usableUser({
    idp_id: user.id,
    email,
    name: textOrNull(fullName),
    given_name: textOrNull(givenName),
    family_name: textOrNull(familyName),
    preferred_username: email,
    active: isActive(user),
  })
}

/** Returns the number of direct members, which the provider sends as a string. Returns null if the number is missing or invalid. */
const statedMembers = ({ directMembersCount }: ResponseFields): number | null => {
  const count = Number(directMembersCount ?? Number.NaN)
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}

export function suiteGroup(group: EntryRow): DirectoryGroup {
  const email = textOrNull(group.email)
  const name = textOrNull(group.name) ?? email ?? group.id
  return directoryGroup({ idp_id: group.id, name, email, stated_members: statedMembers(group) })
}

const unitPrefix = 'ou:'
const isUnit = (idpId: string): boolean => idpId.startsWith(unitPrefix)
const unitId = (id: string): string => `${unitPrefix}${id}`

export function suiteUnit(unit: EntryRow): DirectoryGroup {
  const name = textOrNull(unit.name) ?? textOrNull(unit.orgUnitPath) ?? unit.id
  return directoryGroup({ idp_id: unitId(unit.id), name, entity_type: 'org_unit' })
}

const marker = 'network-access-'

/** Returns whether a group's email or name has the prefix that the mode `filtered` requires. */
const isChosen = ({ email, name }: DirectoryGroup): boolean =>
  [email, name].some((text) => text?.toLowerCase().startsWith(marker))

/** Converts a direct member: a user, a group, or all users of the customer. Skips other members as `foreign_member`. */
export function suiteMember(member: ResponseFields): ProviderEntry<DirectoryMember> {
  const id = textOrNull(member.id)
  if (member.type === 'CUSTOMER') return { entry: { everyone: true } }
  if (id && member.type === 'GROUP') return { entry: { group: id } }
  if (id && member.type === 'USER') return { entry: { user: id } }
  const email = textOrNull(member.email)
  return { skipped: { idp_id: id ?? email ?? '', name: email, reason: 'foreign_member' } }
}

const userFields = 'id,primaryEmail,name(fullName,givenName,familyName),suspended,archived'

/** Half of the provider's limit, which is 2,400 requests per minute and user. The provider does not report the remaining quota. */
const halfOfLimits = { perSecond: 18, burst: 100 }

/** Position of the organizational units, which follow the groups as a single page. */
const unitsPosition = 'units'
const groupsPosition = (cursor: string) => `groups ${cursor}`

/** Directory of Google Workspace, read through the Directory API of the Admin SDK (`identity-wire.md`, 1.1). */
export function suiteDirectory(connection: SuiteConnection, fetch: GuardedFetch): DirectoryAdapter {
  const { apiUrl, issuer, domain, groupSyncMode, orgunitSyncEnabled } = connection
  const watch = new PageWatch()
  const provider: Provider = {
    tokens: suiteTokens(connection, fetch),
    pace: requestPace(halfOfLimits),
    send: bearer(fetch),
    faultOf: suiteFault(orgunitSyncEnabled),
  }

  const read = async (path: string, query: Record<string, string | null> = {}, nested = false) => {
    const current = query.pageToken ?? null
    const address = `${apiUrl}/admin/directory/v1/${path}`
    const { call, body } = await get(provider, address, query, { continues: Boolean(current), nested })
    const next = checkNextPosition(call, textOrNull(body.nextPageToken), current)
    const page = <R extends ResponseFields>(rows: R[]) => {
      return { rows, next, barren: watch.isBarren(`${path} ${query.query ?? ''}`, rows, current, next) }
    }
    return { call, body, page }
  }

  /** Returns the rows of a list. The provider omits the list if it is empty. */
  const rowsOrNone = (call: Call, body: ResponseFields, name: string, id?: string) =>
    body[name] === undefined ? [] : entriesOfResponse(call, body[name], name, id)

  const readUsers = (query: Record<string, string | null>) => {
    const scope: Record<string, string> = domain === null ? { customer: 'my_customer' } : { domain }
    const fields = `nextPageToken,users(${userFields})`
    return read('users', { ...scope, maxResults: '500', projection: 'basic', orderBy: 'email', fields, ...query })
  }

  async function readUnits() {
    const { call, body } = await read('customer/my_customer/orgunits', { type: 'all' })
    return rowsOrNone(call, body, 'organizationUnits', 'orgUnitId')
  }
  /** Paths of the organizational units, keyed by id, because the members of a unit are queried by path. */
  const unitPaths = memoize(async () => {
    const units = await readUnits()
    return new Map(units.map((unit) => [unitId(unit.id), textOrNull(unit.orgUnitPath) ?? '']))
  })

  async function unitMembers(idpId: string, position: string | null): Promise<ProviderPage<DirectoryMember>> {
    const path = (await unitPaths.get()).get(idpId)
    if (!path) throw new ProviderFault('object_gone', `The organisational unit ${idpId} no longer exists.`)
    const query = `orgUnitPath='${path.replace(/['\\]/g, '\\$&')}'`
    const { call, body, page } = await readUsers({ query, pageToken: position })
    return toProviderPage(page(rowsOrNone(call, body, 'users')), toMember)
  }

  async function groupMembers(group: GroupRef, position: string | null): Promise<ProviderPage<DirectoryMember>> {
    const path = `groups/${encodeURIComponent(group.idp_id)}`
    const nested = 'nested' in group
    const { call, body, page } = await read(`${path}/members`, { maxResults: '200', pageToken: position }, nested)
    const { members = [] } = body
    if (!Array.isArray(members)) throw invalidData(call, 'members is not a list')
    const found = page(members.map(fieldsOf))
    const isEmpty = members.length === 0 && found.next === null && position === null
    if (isEmpty && !nested && (group.stated_members ?? 0) > 0) {
      const { body: now } = await read(path, { fields: 'id,directMembersCount' })
      if ((statedMembers(now) ?? 0) > 0) throw invalidData(call, 'the group has members, but none are listed')
    }
    return toProviderPage(found, suiteMember)
  }

  async function isKnown(id: string): Promise<boolean> {
    const query = { fields: 'id,primaryEmail,suspended,archived' }
    const found = await fallbackIfGone(read(`users/${encodeURIComponent(id)}`, query, true), null)
    if (!found || !isActive(found.body)) return false
    return domain === null || foldAscii(textOrNull(found.body.primaryEmail) ?? '').endsWith(`@${foldAscii(domain)}`)
  }

  return {
    issuer,
    async users(position) {
      const { call, body, page } = await readUsers({ pageToken: position })
      return toProviderPage(page(entriesOfResponse(call, body.users, 'users')), suiteUser)
    },
    async groups(position) {
      if (position === unitsPosition || (position === null && groupSyncMode === 'disabled')) {
        unitPaths.forget()
        const rows = orgunitSyncEnabled ? await readUnits() : []
        return { entries: rows.map(suiteUnit), skipped: [], next: null }
      }
      const pageToken = position === null ? null : position.slice(groupsPosition('').length)
      const query = { customer: 'my_customer', maxResults: '200', pageToken }
      const { call, body, page } = await read('groups', query)
      const { rows, next, barren } = page(rowsOrNone(call, body, 'groups'))
      const found = rows.map(suiteGroup)
      const entries = groupSyncMode === 'filtered' ? found.filter(isChosen) : found
      const after = orgunitSyncEnabled ? unitsPosition : null
      return { entries, skipped: [], next: next === null ? after : groupsPosition(next), barren }
    },
    members: (group, position) =>
      isUnit(group.idp_id) ? unitMembers(group.idp_id, position) : groupMembers(group, position),
    confirm: confirmEach(isKnown),
  }
}
