import { type admin_directory_v1, admin as adminApi } from '@googleapis/admin'
import { JWT } from 'google-auth-library'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SuiteGroup, SuiteMember, SuiteUnit, SuiteUser } from '../fakes/suite.ts'
import { type SuiteFake, suiteCompany, suiteFake, suiteFaults, suiteGroup } from '../fakes/suite.ts'
import type { Fits } from './fits.ts'

const company = suiteCompany(520, 3)
const scopes = ['user', 'group', 'orgunit'].map(
  (what) => `https://www.googleapis.com/auth/admin.directory.${what}.readonly`,
)

let fake: SuiteFake
beforeAll(async () => {
  const foreign = suiteGroup('foreign', [], { isForeign: true })
  fake = await suiteFake({
    ...company,
    groups: [...company.groups, suiteGroup('nested', [{ id: 'foreign', type: 'GROUP' }]), suiteGroup('none'), foreign],
    units: [{ orgUnitId: 'id:1', orgUnitPath: '/Sales', name: 'Sales' }],
  })
})
afterAll(() => fake.close())

/** Creates the vendor's unmodified client, whose requests are redirected to the fake. */
function clientOf(subject = 'admin@example.com', requestedScopes = scopes): admin_directory_v1.Admin {
  const redirect: typeof fetch = (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    return fetch(`${fake.url}${pathname}${search}`, init)
  }
  const { client_email, private_key } = JSON.parse(fake.serviceAccountKey)
  const auth = new JWT({
    email: client_email,
    key: private_key,
    scopes: requestedScopes,
    subject,
    transporterOptions: { fetchImplementation: redirect },
  } as never)
  const options = { version: 'directory_v1' as const, auth, fetchImplementation: redirect, retry: false }
  return adminApi(options as { version: 'directory_v1' })
}

it("the vendor's client signs in and reads all pages", async () => {
  const client = clientOf()
  const users: admin_directory_v1.Schema$User[] = []
  let pageToken: string | undefined
  do {
    const { data } = await client.users.list({ customer: 'my_customer', maxResults: 500, orderBy: 'email', pageToken })
    users.push(...(data.users ?? []))
    pageToken = data.nextPageToken ?? undefined
  } while (pageToken)
  expect(users.map(({ id }) => id)).toEqual(company.users.map(({ id }) => id))
  expect(fake.issued.size).toBe(1)

  const { data: groups } = await client.groups.list({ customer: 'my_customer', maxResults: 200 })
  expect(groups.groups?.map(({ directMembersCount }) => directMembersCount)).toEqual([
    ...company.groups.map(({ members }) => String(members.length)),
    '1',
    '0',
  ])
  const { data: members } = await client.members.list({ groupKey: 'g0', maxResults: 200 })
  expect(members.members).toHaveLength(company.groups[0]?.members.length ?? 0)
  const { data: units } = await client.orgunits.list({ customerId: 'my_customer', type: 'all' })
  expect(units.organizationUnits).toEqual([expect.objectContaining({ orgUnitId: 'id:1' })])
})

it('omits an empty list, as the service does', async () => {
  const { data } = await clientOf().members.list({ groupKey: 'none' })
  expect(data).not.toHaveProperty('members')
})

it("the vendor's client parses the fake's errors", async () => {
  const client = clientOf()
  await expect(client.members.list({ groupKey: 'foreign' })).rejects.toMatchObject({ status: 403 })
  await expect(client.users.get({ userKey: 'nobody' })).rejects.toMatchObject({ status: 404 })
  await expect(client.users.list({ domain: 'other.example.com' })).rejects.toMatchObject({ status: 404 })
  await expect(client.users.list({ customer: 'my_customer', maxResults: 501 })).rejects.toMatchObject({ status: 400 })
  await expect(clientOf('nobody@example.com').users.list({ customer: 'my_customer' })).rejects.toThrow('invalid_grant')
  const extendedScopes = [...scopes, 'https://www.googleapis.com/auth/admin.directory.customer.readonly']
  await expect(clientOf(undefined, extendedScopes).users.list({ customer: 'my_customer' })).rejects.toThrow(
    'unauthorized_client',
  )
  fake.faults = [suiteFaults.throttled]
  await expect(client.users.list({ customer: 'my_customer' })).rejects.toMatchObject({
    status: 403,
    response: { data: { error: { errors: [{ domain: 'usageLimits', reason: 'userRateLimitExceeded' }] } } },
  })
  fake.faults = []
})

it("the fields of the fake match the vendor's types", () => {
  const fits: [
    Fits<SuiteUser, admin_directory_v1.Schema$User>,
    Fits<Omit<SuiteGroup, 'members' | 'isForeign'> & { directMembersCount: string }, admin_directory_v1.Schema$Group>,
    Fits<SuiteMember, admin_directory_v1.Schema$Member>,
    Fits<SuiteUnit, admin_directory_v1.Schema$OrgUnit>,
  ] = [true, true, true, true]
  expect(fits).not.toContain(false)
})
