import { generateKeyPairSync } from 'node:crypto'
import { createRequire } from 'node:module'
import okta from '@okta/okta-sdk-nodejs'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { always, on, times } from '../fakes/faults.ts'
import { type IdpFake, idpApp, idpCompany, idpFake, idpFaults, idpUser } from '../fakes/idp.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256', use: 'sig' }
const company = idpCompany(420, 25)

let fake: IdpFake
let client: okta.Client

/**
 * Creates the vendor's client, which continues without a token if the token request fails. Tests must therefore check the requests that the
 * fake received.
 */
const clientOf = (url: string) =>
  new okta.Client({
    orgUrl: url,
    authorizationMode: 'PrivateKey',
    clientId: '0oaservice',
    scopes: ['okta.users.read', 'okta.groups.read', 'okta.apps.read'],
    privateKey: JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256' }),
    keyId: 'key-1',
    testing: { disableHttpsCheck: true },
    requestTimeout: 10,
    maxRetries: 0,
  } as never)

beforeAll(async () => {
  const apps = [...company.apps, idpApp('0oaservice', { applicationType: 'service' })]
  fake = await idpFake({ ...company, apps, keys: [jwk] })
  client = clientOf(fake.url)
})
afterAll(() => fake.close())

async function all<T>(collection: AsyncIterable<T | null>): Promise<T[]> {
  const found: T[] = []
  for await (const one of collection) if (one !== null) found.push(one)
  return found
}

it("the vendor's client gets a token that is bound to its key, with a nonce", async () => {
  const apps = await all(await client.applicationApi.listApplications({ filter: 'status eq "ACTIVE"' }))
  expect(apps.map(({ id }) => id)).toEqual(['0oa1', '0oaservice'])
  const paths = fake.requests.map(({ path }) => path)
  expect(paths.slice(0, 3)).toEqual(['/oauth2/v1/token', '/oauth2/v1/token', '/api/v1/apps'])
  expect([...fake.issued.values()]).toEqual([expect.objectContaining({ jkt: expect.any(String) })])
  expect(fake.requests.at(-1)?.headers.authorization).toBe(`DPoP ${[...fake.issued.keys()][0]}`)
})

it("the vendor's client reads all pages of users, groups and members", async () => {
  const users = await all(
    await client.applicationApi.listApplicationUsers({ appId: '0oa1', expand: 'user', limit: 100 }),
  )
  expect(users.map(({ id }) => id)).toEqual(company.users.map(({ id }) => id))
  const groups = await all(
    await client.applicationApi.listApplicationGroupAssignments({ appId: '0oa1', expand: 'group', limit: 20 }),
  )
  expect(groups.map(({ id }) => id)).toEqual(company.groups.map(({ id }) => id))
  const [group] = company.groups
  const members = await all(await client.groupApi.listGroupUsers({ groupId: group?.id as string, limit: 10 }))
  expect(members.map(({ id }) => id)).toEqual(group?.members)
  const [user] = company.users
  expect(await client.userApi.getUser({ userId: user?.id as string })).toMatchObject({
    id: user?.id,
    status: 'ACTIVE',
    profile: { email: user?.profile.email },
  })
})

it("the vendor's client parses the fake's errors", async () => {
  await expect(client.userApi.getUser({ userId: 'nobody' })).rejects.toMatchObject({
    status: 404,
    errorCode: 'E0000007',
  })
  await expect(
    client.applicationApi.listApplicationGroupAssignments({ appId: '0oa1', limit: 5 }).then(all),
  ).rejects.toMatchObject({ status: 400 })
  for (const [fault, status, errorCode] of [
    [idpFaults.tokenExpired, 401, 'E0000011'],
    [idpFaults.noRole, 403, 'E0000006'],
    [idpFaults.broken, 500, 'E0000009'],
  ] as const) {
    fake.faults = [fault]
    await expect(client.userApi.getUser({ userId: '00u0000000000' })).rejects.toMatchObject({ status, errorCode })
  }
  fake.faults = []
})

it('refuses another key, another client and a proof of another request', async () => {
  const other = await idpFake({ ...company, keys: [{ ...jwk, kid: 'key-2' }] })
  await clientOf(other.url)
    .userApi.getUser({ userId: '00u0000000000' })
    .catch(() => {})
  expect(other.issued.size).toBe(0)
  await other.close()
})

const require = createRequire(import.meta.url)

it("the vendor's schema accepts the fake's responses, and rejects others", async () => {
  const { definitions } = require('@okta/openapi/dist/spec.json')
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: 'okta', definitions })
  const check = (name: string, value: unknown) => {
    const takes = ajv.compile({ $ref: `okta#/definitions/${name}` })
    return takes(value) ? null : ajv.errorsText(takes.errors)
  }
  fake.faults = [times(1, on(/^\/oauth2/, always({ status: 200, json: {} })))]
  fake.faults = []
  const token = [...fake.issued].find(([, { jkt }]) => jkt !== null)?.[0]
  expect(token).toBeDefined()
  const open = await idpFake({
    ...company,
    users: [...company.users, idpUser('00ususpended', { status: 'SUSPENDED' })],
    dpop: false,
  })
  open.issued.set('open', { scopes: open.data.scopes, jkt: null })
  const read = async (path: string) =>
    (await fetch(`${open.url}/api/v1/${path}`, { headers: { authorization: 'Bearer open' } })).json()
  for (const user of await read('groups/00g0/users')) expect(check('User', user)).toBeNull()
  expect(check('User', await read('users/00ususpended'))).toBeNull()
  for (const app of await read('apps')) expect(check('Application', app)).toBeNull()
  for (const one of await read('apps/0oa1/users?expand=user')) {
    expect(check('AppUser', one)).toBeNull()
    expect(check('User', one._embedded.user)).toBeNull()
  }
  for (const one of await read('apps/0oa1/groups?expand=group')) {
    expect(check('ApplicationGroupAssignment', one)).toBeNull()
    // Removes the null description, which the real service returns but its schema does not allow.
    const { description: _, ...profile } = one._embedded.group.profile
    expect(check('Group', { ...one._embedded.group, profile })).toBeNull()
  }
  expect(check('User', idpUser('1', { status: 'GONE' }))).toContain('status')
  await open.close()
})
