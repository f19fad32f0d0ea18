import { always, halfList, on } from '#test/fakes/faults.ts'
import { idpCompany, idpFake } from '#test/fakes/idp.ts'
import { startPlainProvider } from '#test/fakes/plain-provider.ts'
import { suiteCompany, suiteFake } from '#test/fakes/suite.ts'
import { tenantCompany, tenantFake } from '#test/fakes/tenant.ts'
import type { Fault } from '../fakes/fake-server.ts'

/** Kinds of directories, named as in the API's paths. */
export const walkedKinds = ['suite', 'idp', 'tenant'] as const
export type WalkedKind = (typeof walkedKinds)[number]

type Fields = Record<string, unknown>
export type Somebody = { id: string; email: string }

export type WalkedCompany = {
  kind: WalkedKind
  /** Environment variables that direct a service to the provider. */
  variables: Record<string, string>
  directory: Fields
  authProvider: Fields
  /** Registers the public key of the created directory with the provider, if the provider requires one. */
  connect(directory: Fields): void
  people(): Somebody[]
  /** Returns the id of the provider's first group and the ids of its members. */
  group(): { id: string; members: string[] }
  /** Removes a person from the first group. */
  leaveGroup(id: string): void
  dismiss(ids: ReadonlySet<string>): void
  /** Makes the provider omit half of each list of people, with a successful status. */
  breakLists(): void
  mendLists(): void
  /** Signs a person in at the authorization URL, and returns the code from the redirect. */
  signIn(authorizationUrl: string, person: Somebody): string
  close(): Promise<void>
}

const groupsOf = (size: number): number => Math.max(8, Math.round(size / 100))

type Faulty = { faults: Fault[] }
const listsOf = (fake: Faulty, fault: Fault) => ({
  breakLists: () => void fake.faults.push(fault),
  mendLists: () => void fake.faults.splice(fake.faults.indexOf(fault), 1),
})

type Claims = (person: Somebody) => Fields
const signInWith =
  (provider: Awaited<ReturnType<typeof startPlainProvider>>, claims: Claims) => (url: string, person: Somebody) =>
    provider.codeFor(url, claims(person))

async function suite(size: number): Promise<WalkedCompany> {
  const fake = await suiteFake(suiteCompany(size, groupsOf(size)))
  const provider = await startPlainProvider()
  const [first] = fake.data.groups
  return {
    kind: 'suite',
    variables: {
      SUITE_ISSUER: provider.issuer,
      SUITE_CLIENT_ID: 'suite-app',
      SUITE_CLIENT_SECRET: provider.secret,
      SUITE_TOKEN_URL: `${fake.url}/token`,
      SUITE_API_URL: fake.url,
    },
    directory: { impersonation_email: 'admin@example.com', service_account_key: fake.serviceAccountKey },
    authProvider: {},
    connect: () => undefined,
    people: () => fake.data.users.map(({ id, primaryEmail }) => ({ id, email: primaryEmail })),
    group: () => ({ id: first?.id ?? '', members: first?.members.map(({ id = '' }) => id) ?? [] }),
    leaveGroup: (id) => {
      if (first) first.members = first.members.filter((member) => member.id !== id)
    },
    dismiss(ids) {
      fake.data.users = fake.data.users.filter(({ id }) => !ids.has(id))
      for (const group of fake.data.groups) group.members = group.members.filter(({ id = '' }) => !ids.has(id))
    },
    ...listsOf(fake, on(/^\/admin\/directory\/v1\/users$/, halfList('users'))),
    signIn: signInWith(provider, ({ id, email }) => ({ sub: id, email, email_verified: true, hd: 'example.com' })),
    close: async () => void (await Promise.all([fake.close(), provider.close()])),
  }
}

async function idp(size: number): Promise<WalkedCompany> {
  const fake = await idpFake(idpCompany(size, groupsOf(size)))
  const provider = await startPlainProvider()
  // Uses the organization's domain as the issuer, but serves the discovery document at the API's address.
  provider.issuer = 'https://company.example.com'
  fake.faults.push((request) => on(/^\/\.well-known\//, always({ json: provider.document() }))(request, () => ({})))
  const [first] = fake.data.groups
  let changes = 0
  const touch = (group: typeof first) => {
    if (group) group.lastMembershipUpdated = new Date(Date.now() + changes++).toISOString()
  }
  return {
    kind: 'idp',
    variables: { IDP_API_URL: fake.url },
    directory: { client_id: fake.data.clientId, idp_domain: 'company.example.com' },
    authProvider: { client_id: 'people', client_secret: provider.secret, idp_domain: 'company.example.com' },
    connect: ({ public_jwk }) => void fake.data.keys.push(public_jwk as Fields),
    people: () => fake.data.users.map(({ id, profile }) => ({ id, email: profile.email ?? '' })),
    group: () => ({ id: first?.id ?? '', members: first?.members ?? [] }),
    leaveGroup: (id) => {
      if (first) first.members = first.members.filter((member) => member !== id)
      touch(first)
    },
    dismiss(ids) {
      fake.data.users = fake.data.users.filter(({ id }) => !ids.has(id))
      for (const group of fake.data.groups) {
        group.members = group.members.filter((id) => !ids.has(id))
        touch(group)
      }
    },
    ...listsOf(fake, on(/^\/api\/v1\/apps\/[^/]+\/users$/, halfList(null))),
    signIn: signInWith(provider, ({ id, email }) => ({ sub: id, email, email_verified: true })),
    close: async () => void (await Promise.all([fake.close(), provider.close()])),
  }
}

async function tenant(size: number): Promise<WalkedCompany> {
  const fake = await tenantFake(tenantCompany(size, groupsOf(size)))
  const { tenantId, clientId, clientSecret } = fake.data
  const provider = await startPlainProvider({ path: `/${tenantId}/v2.0` })
  const [first] = fake.data.groups
  const half = halfList('value')
  return {
    kind: 'tenant',
    variables: {
      TENANT_ISSUER: `${provider.base}/{tenant_id}/v2.0`,
      TENANT_CLIENT_ID: 'tenant-app',
      TENANT_CLIENT_SECRET: provider.secret,
      TENANT_TOKEN_URL: `${fake.url}/{tenant_id}/oauth2/v2.0/token`,
      TENANT_API_URL: fake.url,
    },
    directory: { tenant_id: tenantId, client_id: clientId, client_secret: clientSecret, sync_all_groups: true },
    authProvider: { issuer: provider.issuer },
    connect: () => undefined,
    people: () => fake.data.users.map(({ id, userPrincipalName }) => ({ id, email: userPrincipalName })),
    group: () => ({ id: first?.id ?? '', members: first?.members ?? [] }),
    leaveGroup: (id) => {
      if (first) first.members = first.members.filter((member) => member !== id)
    },
    dismiss(ids) {
      fake.data.users = fake.data.users.filter(({ id }) => !ids.has(id))
      for (const group of fake.data.groups) group.members = group.members.filter((id) => !ids.has(id))
    },
    // Halves only lists of all people. Requests for people by id still return everyone.
    ...listsOf(fake, (request, answer) =>
      request.path === '/v1.0/users' && !request.query.has('$filter') ? half(request, answer) : null,
    ),
    signIn: signInWith(provider, ({ id, email }) => ({ sub: `app ${id}`, oid: id, tid: tenantId, upn: email })),
    close: async () => void (await Promise.all([fake.close(), provider.close()])),
  }
}

const openers: Record<WalkedKind, (size: number) => Promise<WalkedCompany>> = { suite, idp, tenant }

export const openCompany = (kind: WalkedKind, size: number): Promise<WalkedCompany> => openers[kind](size)
