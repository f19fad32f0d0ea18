import { ConfidentialClientApplication, type INetworkModule } from '@azure/msal-node'
import { Client, type Context, type Middleware, PageIterator } from '@microsoft/microsoft-graph-client'
import type { Group, ManagedDevice, User } from '@microsoft/microsoft-graph-types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { graphFaults } from '../fakes/graph-server.ts'
import { managedDevice, managedDevicesFake, type WholeDevice } from '../fakes/managed-devices.ts'
import { type TenantFake, type TenantGroup, type TenantUser, tenantCompany, tenantFake } from '../fakes/tenant.ts'
import type { Fits } from './fits.ts'

const company = tenantCompany(1_200, 3)
let fake: TenantFake
beforeAll(async () => {
  fake = await tenantFake(company)
})
afterAll(() => fake.close())

const ledTo = (base: string, url: string): string => {
  const { pathname, search } = new URL(url)
  return `${base}${pathname}${search}`
}

/** Requests a token with the vendor's unmodified client, whose requests are redirected to the fake. */
async function tokenOf({ url, data }: Pick<TenantFake, 'url' | 'data'>, clientSecret = data.clientSecret) {
  const send = async (
    address: string,
    options?: { headers?: Record<string, string>; body?: string },
    method = 'GET',
  ) => {
    const response = await fetch(ledTo(url, address), { method, headers: options?.headers, body: options?.body })
    return {
      headers: Object.fromEntries(response.headers),
      body: (await response.json()) as never,
      status: response.status,
    }
  }
  const networkClient: INetworkModule = {
    sendGetRequestAsync: (address, options) => send(address, options),
    sendPostRequestAsync: (address, options) => send(address, options, 'POST'),
  }
  const authority = `https://login.microsoftonline.com/${data.tenantId}`
  const app = new ConfidentialClientApplication({
    auth: {
      clientId: data.clientId,
      clientSecret,
      authority,
      // Replaces the issuer's discovery, which the fake does not implement.
      knownAuthorities: ['login.microsoftonline.com'],
      authorityMetadata: JSON.stringify({
        issuer: `${authority}/v2.0`,
        token_endpoint: `${authority}/oauth2/v2.0/token`,
        authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
        end_session_endpoint: `${authority}/oauth2/v2.0/logout`,
        jwks_uri: `${authority}/discovery/v2.0/keys`,
      }),
    },
    system: { networkClient },
  })
  const result = await app.acquireTokenByClientCredential({ scopes: [`${data.linkOrigin}/.default`] })
  return result?.accessToken ?? ''
}

/** Creates the vendor's API client, unmodified except for a last middleware that redirects requests to the fake. */
async function clientOf(of: Pick<TenantFake, 'url' | 'data'>): Promise<Client> {
  const token = await tokenOf(of)
  const redirect: Middleware = {
    async execute(context: Context) {
      const address = context.request instanceof Request ? context.request.url : String(context.request)
      const headers = new Headers(context.options?.headers as Record<string, string>)
      headers.set('authorization', `Bearer ${token}`)
      context.response = await fetch(ledTo(of.url, address), { method: context.options?.method, headers })
    },
  }
  return Client.initWithMiddleware({ middleware: redirect })
}

async function all<T>(client: Client, path: string, query: Record<string, string>, headers = {}): Promise<T[]> {
  const found: T[] = []
  const first = await client.api(path).query(query).headers(headers).get()
  const pages = new PageIterator(
    client,
    first,
    (one) => {
      found.push(one)
      return true
    },
    { headers },
  )
  await pages.iterate()
  return found
}

it("the vendor's client gets a token and follows all pages by their links", async () => {
  const client = await clientOf(fake)
  const users = await all<User>(client, '/users', { $top: '500', $select: 'id,displayName,accountEnabled' })
  expect(users.map(({ id }) => id)).toEqual(company.users.map(({ id }) => id))
  expect(Object.keys(users[0] ?? {})).toEqual(['id', 'displayName', 'accountEnabled'])
  const assignments = await all<{ principalId: string }>(
    client,
    `/servicePrincipals(appId='${fake.data.clientId}')/appRoleAssignedTo`,
    { $top: '2' },
  )
  expect(assignments.map(({ principalId }) => principalId)).toEqual(company.groups.map(({ id }) => id))
  const [group] = company.groups
  const path = `/groups/${group?.id}/transitiveMembers/microsoft.graph.user`
  const eventual = { ConsistencyLevel: 'eventual' }
  const first = await client.api(path).query({ $top: '100', $count: 'true' }).headers(eventual).get()
  expect(first['@odata.count']).toBe(group?.members.length)
  const members = await all<User>(client, path, { $top: '100', $count: 'true' }, eventual)
  expect(members.map(({ id }) => id)).toEqual(group?.members)
})

it("the vendor's clients parse the fake's errors", async () => {
  const client = await clientOf(fake)
  await expect(client.api('/groups/none/transitiveMembers/microsoft.graph.user').get()).rejects.toMatchObject({
    statusCode: 404,
    code: 'Request_ResourceNotFound',
  })
  await expect(client.api('/users').query({ $top: '1000' }).get()).rejects.toMatchObject({ statusCode: 400 })
  fake.faults = [graphFaults.missingRight]
  await expect(client.api('/users').get()).rejects.toMatchObject({
    statusCode: 403,
    code: 'Authorization_RequestDenied',
  })
  fake.faults = []
  await expect(tokenOf(fake, 'another')).rejects.toThrow('AADSTS7000215')
  fake.faults = [graphFaults.token(7000229)]
  await expect(tokenOf(fake)).rejects.toThrow('AADSTS7000229')
  fake.faults = []
})

it("the vendor's client reads managed devices", async () => {
  const devices = ['a', 'b', 'c'].map((id) => managedDevice(id))
  const inventory = await managedDevicesFake({ devices })
  const client = await clientOf(inventory as unknown as TenantFake)
  const found = await all<ManagedDevice>(client, '/deviceManagement/managedDevices', { $top: '2' })
  expect(found.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  inventory.data.rights = []
  await expect(client.api('/deviceManagement/managedDevices').get()).rejects.toMatchObject({ statusCode: 401 })
  await inventory.close()
})

it("the fields of the fakes match the vendor's types", () => {
  const fits: [
    Fits<TenantUser, User>,
    Fits<Omit<TenantGroup, 'members'>, Group>,
    // Compares only names, because enums are plain strings in the fake. `managementState` is in the API's schema, but not in the vendor's
    // types.
    [Exclude<keyof WholeDevice, keyof ManagedDevice | 'managementState'>] extends [never] ? true : false,
  ] = [true, true, true]
  expect(fits).not.toContain(false)
})
