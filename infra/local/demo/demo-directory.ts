import { StartupError } from '../files/fault.ts'

/** Connection fields of the demo company's tenant directory (A26.1). */
export type DemoConnection = { tenant_id: string; client_id: string; client_secret: string }
export type DemoDirectory = {
  connection: DemoConnection
  /** Environment variables that direct the service to the directory. */
  environment: Record<string, string>
  people: number
  stop(): Promise<void>
}

const size = 200
const groups = 8

const toUser = ({ sub, email, name, given_name, family_name }: Person) => ({
  id: sub,
  displayName: name,
  mail: email,
  userPrincipalName: email,
  givenName: given_name,
  surname: family_name,
  accountEnabled: true,
  userType: 'Member' as const,
})

/**
 * Runs a cloud directory of 200 people in this process. Changes are lost when the process ends.
 * @throws StartupError if the folder `test`, which contains the implementation, is missing
 */
export async function startDemoDirectory(people: readonly Person[]): Promise<DemoDirectory> {
  const { tenantCompany, tenantFake } = await import('#test/fakes/tenant.ts').catch((error: Error) => {
    throw new StartupError(`The demo directory is part of the tests, which are missing (${error.message}).`)
  })
  const company = tenantCompany(size - people.length, groups)
  const [first] = company.groups
  first?.members.push(...people.map(({ sub }) => sub))
  const fake = await tenantFake({ ...company, users: [...people.map(toUser), ...company.users] })
  const environment = { TENANT_TOKEN_URL: `${fake.url}/{tenant_id}/oauth2/v2.0/token`, TENANT_API_URL: fake.url }
  const { tenantId: tenant_id, clientId: client_id, clientSecret: client_secret } = fake.data
  return { connection: { tenant_id, client_id, client_secret }, environment, people: size, stop: () => fake.close() }
}

/** Person at the demo company, with OpenID Connect claims (Core 5.1). */
export type Person = {
  sub: string
  email: string
  email_verified: boolean
  name: string
  given_name: string
  family_name: string
}

const person = (sub: string, given_name: string, family_name: string, local: string): Person => ({
  sub,
  email: `${local}@example.com`,
  email_verified: true,
  name: `${given_name} ${family_name}`,
  given_name,
  family_name,
})

export const demoPeople = {
  admin: person('demo-1', 'Ada', 'Admin', 'admin'),
  user: person('demo-2', 'Uma', 'User', 'uma'),
}
