import { people, teams } from './company.ts'
import type { FakeAnswer, FakeRequest } from './fake-server.ts'
import { type GraphApp, type GraphFake, graphApp, graphPage, graphServer, needRight, refuse } from './graph-server.ts'

export type TenantUser = {
  id: string
  displayName: string | null
  mail: string | null
  userPrincipalName: string
  givenName: string | null
  surname: string | null
  accountEnabled: boolean
  userType: 'Member' | 'Guest'
}
export type TenantGroup = {
  id: string
  displayName: string
  mail: string | null
  securityEnabled: boolean
  /** Ids of users and of nested groups. */
  members: string[]
}
export type Assignment = { principalId: string; principalType: 'User' | 'Group' | 'ServicePrincipal'; role?: string }

export type TenantData = GraphApp & {
  users: TenantUser[]
  groups: TenantGroup[]
  assignments: Assignment[]
  /** True if the tenant has consented to the app. Without consent, the app has no service principal in the tenant. */
  consented: boolean
}
export type TenantFake = GraphFake<TenantData>

export const tenantUser = (id: string, fields: Partial<TenantUser> = {}): TenantUser => ({
  id,
  displayName: `Person ${id}`,
  mail: `${id}@mail.example.com`,
  userPrincipalName: `${id}@example.com`,
  givenName: 'Person',
  surname: id,
  accountEnabled: true,
  userType: 'Member',
  ...fields,
})
export const tenantGroup = (id: string, members: string[] = [], fields: Partial<TenantGroup> = {}): TenantGroup => ({
  id,
  displayName: `Group ${id}`,
  mail: null,
  securityEnabled: true,
  members,
  ...fields,
})

/** Returns the data of a tenant whose groups are all assigned to the application. */
export function tenantCompany(size: number, groupCount: number): Pick<TenantData, 'users' | 'groups' | 'assignments'> {
  const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const groups = teams(groupCount, size).map(({ name, people }, at) =>
    tenantGroup(`00000000-0000-4000-9000-${String(at).padStart(12, '0')}`, people.map(idOf), { displayName: name }),
  )
  return {
    users: people(size).map(({ number, given, family, email }) =>
      tenantUser(idOf(number), {
        displayName: `${given} ${family}`,
        mail: email,
        userPrincipalName: email,
        givenName: given,
        surname: family,
      }),
    ),
    groups,
    assignments: groups.map(({ id }): Assignment => ({ principalId: id, principalType: 'Group' })),
  }
}

function nestedIds({ groups }: TenantData, group: TenantGroup): Set<string> {
  const found = new Set<string>()
  const open = [...group.members]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    open.push(...(groups.find((one) => one.id === id)?.members ?? []))
  }
  return found
}

const idsOf = (filter: string | null): Set<string> | null => {
  const list = /^id in \((.*)\)$/.exec(filter ?? '')?.[1]
  if (list === undefined) return null
  const ids = list.split(',').map((id) => id.replace(/^'|'$/g, ''))
  if (ids.length > 15)
    throw refuse(400, 'Request_UnsupportedQuery', 'Too many child clauses specified in search filter.')
  return new Set(ids)
}

const groupRow = ({ members: _, ...group }: TenantGroup): Record<string, unknown> => group

function byIds(request: FakeRequest, rows: Record<string, unknown>[]): Record<string, unknown>[] {
  const ids = idsOf(request.query.get('$filter'))
  return ids ? rows.filter(({ id }) => ids.has(String(id))) : rows
}

function assignmentRows(data: TenantData): Record<string, unknown>[] {
  return data.assignments.map(({ principalId, principalType, role = 'default' }) => ({
    id: `${principalId}-${role}`,
    appRoleId: role,
    principalId,
    principalType,
    principalDisplayName: principalId,
    resourceDisplayName: 'Network access',
  }))
}

/** Returns a member's fields. Without the permission to read users, all fields but the id are null. */
const memberRow = ({ rights }: TenantData, user: TenantUser): Record<string, unknown> =>
  rights.includes('User.Read.All')
    ? user
    : Object.fromEntries(Object.keys(user).map((field) => [field, field === 'id' ? user.id : null]))

function route(fake: TenantFake, request: FakeRequest): FakeAnswer {
  const { data } = fake
  const path = request.path.slice('/v1.0/'.length)
  if (path === `servicePrincipals(appId='${data.clientId}')/appRoleAssignedTo`) {
    needRight(fake, 'Application.Read.All', 'Directory.Read.All')
    if (!data.consented) throw refuse(404, 'Request_ResourceNotFound', `Resource '${data.clientId}' does not exist.`)
    return graphPage(fake, request, assignmentRows(data))
  }
  if (path === 'users') {
    needRight(fake, 'User.Read.All', 'Directory.Read.All')
    return graphPage(fake, request, byIds(request, data.users))
  }
  if (path === 'groups') {
    needRight(fake, 'GroupMember.Read.All', 'Directory.Read.All')
    return graphPage(fake, request, byIds(request, data.groups.map(groupRow)))
  }
  const group = /^groups\/([^/]+)\/transitiveMembers\/microsoft\.graph\.user$/.exec(path)?.[1]
  if (group !== undefined) {
    needRight(fake, 'GroupMember.Read.All', 'Directory.Read.All')
    const found = data.groups.find(({ id }) => id === group)
    if (!found) throw refuse(404, 'Request_ResourceNotFound', `Resource '${group}' does not exist.`)
    const members = nestedIds(data, found)
    return graphPage(
      fake,
      request,
      data.users.filter(({ id }) => members.has(id)).map((user) => memberRow(data, user)),
    )
  }
  const user = /^users\/([^/]+)\/transitiveMemberOf\/microsoft\.graph\.group$/.exec(path)?.[1]
  if (user !== undefined) {
    needRight(fake, 'User.Read.All', 'Directory.Read.All')
    if (!data.users.some(({ id }) => id === user)) {
      throw refuse(404, 'Request_ResourceNotFound', `Resource '${user}' does not exist.`)
    }
    return graphPage(fake, request, data.groups.filter((one) => nestedIds(data, one).has(user)).map(groupRow))
  }
  throw refuse(400, 'BadRequest', `Resource not found for the segment '${path}'.`)
}

/** Starts a fake tenant with the token endpoint `/<tenant>/oauth2/v2.0/token` and the API below `/v1.0`. */
export const tenantFake = (data: Partial<TenantData> = {}, port?: number): Promise<TenantFake> =>
  graphServer<TenantData>(
    { ...graphApp, users: [], groups: [], assignments: [], consented: true, ...data },
    route,
    port,
  )
