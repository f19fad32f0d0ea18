import { afterEach, describe, expect, it, vi } from 'vitest'
import { guardedFetch } from '#shared/outside/guarded-fetch.ts'
import type { ProviderFault } from '#shared/sync/adapter.ts'
import { tenantDirectory } from '#shared/sync/providers/tenant.ts'
import type { FakeAnswer, Fault } from '#test/fakes/fake-server.ts'
import { after, always, html, huge, on, redirectTo, slow } from '#test/fakes/faults.ts'
import { graphError, graphFaults } from '#test/fakes/graph-server.ts'
import { idpCompany, idpFake, idpFaults } from '#test/fakes/idp.ts'
import { managedDevicesFake } from '#test/fakes/managed-devices.ts'
import { mdmFake, mdmFaults, mdmFleet } from '#test/fakes/mdm.ts'
import { suiteCompany, suiteFake, suiteFaults } from '#test/fakes/suite.ts'
import { tenantCompany, tenantFake } from '#test/fakes/tenant.ts'
import { directoryKey, idpOf, managedDevicesOf, mdmOf, suiteOf, tenantOf } from '#test/support/sync/fake-directories.ts'
import { callsFakes, faultOf, groupOf } from '#test/support/sync/read-directory.ts'

callsFakes()

type World = {
  fake: { faults: Fault[]; close(): Promise<void> }
  /** Reads the first page of the list of people or devices. */
  first(): Promise<{ next: string | null }>
  next(position: string | null): Promise<unknown>
  /** Reads the members of a group that does not exist. */
  gone?(): Promise<unknown>
  secrets: string[]
}

/** Builds an adapter of each kind whose lists have `pages` pages. The last page is not full. */
const worlds: Record<string, (pages?: number) => Promise<World>> = {
  async suite(pages = 2) {
    const fake = await suiteFake(suiteCompany(pages * 500 - 400, 2))
    const adapter = suiteOf(fake)
    const read = (position: string | null) => adapter.users(position)
    const gone = () => adapter.members(groupOf('none'), null)
    return { fake, first: () => read(null), next: read, gone, secrets: [fake.serviceAccountKey, 'ya29.'] }
  },
  async idp(pages = 2) {
    const fake = await idpFake({ ...idpCompany(pages * 500 - 400, 2), keys: [directoryKey().jwk] })
    const adapter = idpOf(fake)
    const read = (position: string | null) => adapter.users(position)
    const gone = () => adapter.members(groupOf('none'), null)
    return { fake, first: () => read(null), next: read, gone, secrets: [directoryKey().privateKey, 'fake-0-token'] }
  },
  async tenant(pages = 2) {
    const fake = await tenantFake(tenantCompany(pages * 999 - 798, 2))
    const adapter = tenantOf(fake, { syncAllGroups: true })
    const read = (position: string | null) => adapter.users(position)
    const gone = () => adapter.members(groupOf('none'), null)
    return { fake, first: () => read(null), next: read, gone, secrets: [fake.data.clientSecret, 'eyJ0.fake'] }
  },
  async 'managed devices'(pages = 2) {
    const devices = Array.from({ length: pages * 999 - 998 }, (_, at) => ({ id: `d${at}` }))
    const fake = await managedDevicesFake({ devices })
    const adapter = managedDevicesOf(fake)
    const read = (position: string | null) => adapter.read('devices', position)
    return { fake, first: () => read(null), next: read, secrets: [fake.data.clientSecret, 'eyJ0.fake'] }
  },
  async mdm(pages = 2) {
    const fake = await mdmFake(mdmFleet(pages * 299 - 200))
    const adapter = mdmOf(fake)
    const read = (position: string | null) => adapter.read('devices', position)
    return { fake, first: () => read(null), next: read, secrets: [fake.data.apiToken] }
  },
}

type Row = { fault: Fault; faultClass: string; says: RegExp; retryAfterMs?: number | null; on?: 'next' | 'gone' }
const common: Record<string, Row> = {
  'retry: a server that is broken': { fault: html(503), faultClass: 'retry', says: /returned 503\.$/ },
  'retry: a page of a proxy that says it worked': { fault: html(200), faultClass: 'retry', says: /not JSON/ },
  'retry: a request that took too long there': { fault: html(408), faultClass: 'retry', says: /returned 408/ },
  'transient: a redirect, which is not followed': {
    fault: redirectTo('http://127.0.0.1:9/elsewhere'),
    faultClass: 'transient',
    says: /returned 302: redirects are not followed\.$/,
  },
  'transient: an answer beyond all bounds': { fault: huge(4_100_000), faultClass: 'transient', says: /more than/ },
  'transient: an answer that nobody knows': { fault: html(418), faultClass: 'transient', says: /returned 418/ },
}

const rows: Record<string, Record<string, Row>> = {
  suite: {
    'retry: the user asks too much': {
      fault: suiteFaults.throttled,
      faultClass: 'retry',
      says: /userRateLimitExceeded/,
    },
    'retry: the account asks too much': { fault: suiteFaults.accountThrottled, faultClass: 'retry', says: /429/ },
    'retry: broken': { fault: suiteFaults.broken, faultClass: 'retry', says: /503 \(backendError/ },
    'token ended, and the new one too': {
      fault: suiteFaults.tokenExpired,
      faultClass: 'fatal',
      says: /401.*must be active/,
    },
    'lost place: a page token that is too old': {
      fault: suiteFaults.expiredPage,
      faultClass: 'position_lost',
      says: /400/,
      on: 'next',
    },
    'object gone: a group': { fault: () => null, faultClass: 'object_gone', says: /groups\/none/, on: 'gone' },
    'fatal: a right is missing': {
      fault: suiteFaults.missingRight,
      faultClass: 'fatal',
      says: /403.*user\.readonly.*delegated/,
    },
    'fatal: the impersonated one is no administrator': {
      fault: suiteFaults.noAdmin,
      faultClass: 'fatal',
      says: /impersonation_email/,
    },
    'fatal: the rights are not delegated': {
      fault: on(
        /token/,
        always({ status: 401, json: { error: 'unauthorized_client', error_description: 'Client is unauthorized' } }),
      ),
      faultClass: 'fatal',
      says: /POST \/token returned 401 \(unauthorized_client: Client is unauthorized\): .*delegated/,
    },
    'fatal: the key is gone': {
      fault: on(/token/, always({ status: 400, json: { error: 'invalid_grant', error_description: 'Invalid JWT' } })),
      faultClass: 'fatal',
      says: /service_account_key/,
    },
  },
  idp: {
    'retry: throttled, until the limits begin anew': {
      fault: idpFaults.throttled,
      faultClass: 'retry',
      says: /429 \(E0000047/,
      retryAfterMs: 21_000,
    },
    'retry: broken': { fault: idpFaults.broken, faultClass: 'retry', says: /E0000009/ },
    'token ended, and the new one too': { fault: idpFaults.tokenExpired, faultClass: 'fatal', says: /401 \(E0000011/ },
    'lost place: a cursor that is too old': {
      fault: idpFaults.expiredPage,
      faultClass: 'position_lost',
      says: /400/,
      on: 'next',
    },
    'object gone: a group': { fault: () => null, faultClass: 'object_gone', says: /groups\/none/, on: 'gone' },
    'fatal: a scope is missing': {
      fault: idpFaults.missingRight,
      faultClass: 'fatal',
      says: /lacks the scope okta\.apps\.read/,
    },
    'fatal: a role is missing': { fault: idpFaults.noRole, faultClass: 'fatal', says: /administrator role/ },
    'fatal: scopes are not granted': {
      fault: on(/token/, always({ status: 400, json: { error: 'invalid_scope' } })),
      faultClass: 'fatal',
      says: /grant the service app okta\.users\.read, okta\.groups\.read, okta\.apps\.read/,
    },
    'fatal: a token with fewer scopes than asked for': {
      fault: on(
        /token/,
        always({ json: { access_token: 'x', token_type: 'Bearer', expires_in: 60, scope: 'okta.users.read' } }),
      ),
      faultClass: 'fatal',
      says: /lacks okta\.groups\.read, okta\.apps\.read/,
    },
    'fatal: another key': {
      fault: on(/token/, always({ status: 401, json: { error: 'invalid_client' } })),
      faultClass: 'fatal',
      says: /public key/,
    },
    'fatal: a network zone': {
      fault: on(/token/, always({ status: 403, json: { error: 'access_denied' } })),
      faultClass: 'fatal',
      says: /network zone/,
    },
    'fatal: no sign-in application': {
      fault: on(/apps$/, always({ json: [] })),
      faultClass: 'fatal',
      says: /no sign-in application/,
    },
  },
  tenant: {
    'retry: throttled, as long as it says': {
      fault: graphFaults.throttled,
      faultClass: 'retry',
      says: /429/,
      retryAfterMs: 7_000,
    },
    'retry: unavailable, as long as it says': {
      fault: graphFaults.unavailable,
      faultClass: 'retry',
      says: /503/,
      retryAfterMs: 3_000,
    },
    'retry: broken': { fault: graphFaults.broken, faultClass: 'retry', says: /500/ },
    'retry: tokens are unavailable': { fault: graphFaults.tokenUnavailable, faultClass: 'retry', says: /temporarily/ },
    'token ended, and the new one too': { fault: graphFaults.tokenExpired, faultClass: 'fatal', says: /401/ },
    'lost place: a page token that is too old': {
      fault: graphFaults.expiredPage,
      faultClass: 'position_lost',
      says: /Directory_ExpiredPageToken/,
      on: 'next',
    },
    'lost place: a page that is gone': {
      fault: graphFaults.goneDelta,
      faultClass: 'position_lost',
      says: /410/,
      on: 'next',
    },
    'object gone: a group': { fault: () => null, faultClass: 'object_gone', says: /groups\/none/, on: 'gone' },
    'fatal: a right is missing': { fault: graphFaults.missingRight, faultClass: 'fatal', says: /403.*User\.Read\.All/ },
    'fatal: no consent': { fault: graphFaults.token(7000229), faultClass: 'fatal', says: /no consent/ },
    'fatal: another application': { fault: graphFaults.token(700016), faultClass: 'fatal', says: /client_id/ },
    'fatal: no such tenant': { fault: graphFaults.token(90002), faultClass: 'fatal', says: /tenant_id/ },
    'fatal: another secret': { fault: graphFaults.token(7000215, 401), faultClass: 'fatal', says: /client_secret/ },
    'fatal: a secret that has expired': {
      fault: graphFaults.token(7000222, 401),
      faultClass: 'fatal',
      says: /client_secret has expired/,
    },
    'fatal: a code that nobody knows': {
      fault: graphFaults.token(50034, 401),
      faultClass: 'fatal',
      says: /AADSTS50034/,
    },
    'transient: a query that is not supported': {
      fault: on(/v1/, always(graphError(400, 'Request_UnsupportedQuery', 'Unsupported'))),
      faultClass: 'transient',
      says: /Request_UnsupportedQuery/,
    },
  },
  'managed devices': {
    'retry: throttled, as long as it says': {
      fault: graphFaults.throttled,
      faultClass: 'retry',
      says: /429/,
      retryAfterMs: 7_000,
    },
    'token ended, and the new one too': { fault: graphFaults.tokenExpired, faultClass: 'fatal', says: /401/ },
    'lost place: a page token that is too old': {
      fault: graphFaults.expiredPage,
      faultClass: 'position_lost',
      says: /400/,
      on: 'next',
    },
    'fatal: a right is missing': {
      fault: graphFaults.missingRight,
      faultClass: 'fatal',
      says: /DeviceManagementManagedDevices/,
    },
  },
  mdm: {
    'retry: throttled, as long as it says': {
      fault: mdmFaults.throttled,
      faultClass: 'retry',
      says: /429/,
      retryAfterMs: 11_000,
    },
    'retry: broken': { fault: mdmFaults.broken, faultClass: 'retry', says: /502/ },
    'lost place: an offset that is refused': {
      fault: on(/devices$/, after(1, always({ status: 400, json: { detail: 'no' } }))),
      faultClass: 'position_lost',
      says: /400/,
      on: 'next',
    },
    'fatal: another token': { fault: mdmFaults.wrongToken, faultClass: 'fatal', says: /api_token/ },
    'fatal: a permission is missing': { fault: mdmFaults.missingRight, faultClass: 'fatal', says: /Device list/ },
    'fatal: another subdomain or region': {
      fault: mdmFaults.wrongAddress,
      faultClass: 'fatal',
      says: /subdomain and region/,
    },
  },
}

describe.each(Object.keys(rows))('%s', (name) => {
  const all = { ...common, ...rows[name] }
  let world: World | undefined
  afterEach(async () => {
    await world?.fake.close()
    world = undefined
  })

  it.each(Object.keys(all))('%s', async (row) => {
    const { fault, faultClass, says, retryAfterMs, on: where } = all[row] as Row
    world = await (worlds[name] as () => Promise<World>)()
    let found: ProviderFault
    if (where === 'next') {
      if (name !== 'mdm') world.fake.faults = [fault]
      const { next } = await world.first()
      world.fake.faults = [name === 'mdm' ? always({ status: 400, json: { detail: 'no' } }) : fault]
      found = await faultOf(world.next(next))
    } else {
      world.fake.faults = [fault]
      found = await faultOf(where === 'gone' ? (world.gone as () => Promise<unknown>)() : world.first())
    }
    expect(found.faultClass).toBe(faultClass)
    expect(found.message).toMatch(says)
    if (retryAfterMs !== undefined) expect(found.retryAfterMs).toBe(retryAfterMs)
    expect(world.secrets.filter((secret) => found.message.includes(secret))).toEqual([])
    expect(found.message).toMatch(/^[^\n]{10,1000}\.$/)
  })
})

it('retry: no response in time, or no server at all', async () => {
  const fake = await tenantFake(tenantCompany(2, 1))
  const connection = {
    tokenUrl: `${fake.url}/${fake.data.tenantId}/oauth2/v2.0/token`,
    apiUrl: fake.url,
    clientId: fake.data.clientId,
    clientSecret: fake.data.clientSecret,
    issuer: 'https://tenants.example.com',
    emailField: 'mail',
    syncAllGroups: true,
  } as const
  fake.faults = [on(/users$/, slow(400))]
  const adapter = tenantDirectory(connection, guardedFetch({ timeoutMs: 150 }))
  expect(await faultOf(adapter.users(null))).toMatchObject({
    faultClass: 'retry',
    message: expect.stringMatching(/^GET \/v1\.0\/users got no response: .*did not respond within/),
  })
  await fake.close()
  expect(await faultOf(adapter.users(null))).toMatchObject({ faultClass: 'retry' })
})

it('transient: an address that the service never calls', async () => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '0')
  const fake = await mdmFake(mdmFleet(1))
  expect(await faultOf(mdmOf(fake).read('devices', null))).toMatchObject({ faultClass: 'transient' })
  expect(fake.requests).toEqual([])
  await fake.close()
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
})

it('masks secrets that a provider repeats', async () => {
  const fake = await tenantFake(tenantCompany(2, 1))
  fake.faults = [
    on(/token$/, ({ form }) => ({
      status: 401,
      json: { error: 'invalid_client', error_description: `The secret "${form.get('client_secret')}" is wrong.` },
    })),
  ]
  const { message } = await faultOf(tenantOf(fake).users(null))
  expect(message).toContain('The secret "[secret]" is wrong.')
  fake.faults = [
    on(/v1/, ({ headers }) => graphError(403, 'Refused', `You sent ${headers.authorization?.replace('Bearer ', '')}`)),
  ]
  expect((await faultOf(tenantOf(fake).users(null))).message).toContain('You sent [secret]')
  await fake.close()
})

it("removes tokens and line breaks from a provider's error text", async () => {
  const fake = await mdmFake(mdmFleet(1))
  const detail = `no\nuse eyJhbGciOi.eyJzdWIi.c2ln and Bearer ${fake.data.apiToken} ${'x'.repeat(2_000)}`
  fake.faults = [always({ status: 401, json: { detail } })]
  const { message } = await faultOf(mdmOf(fake).read('devices', null))
  expect(message).toContain('no use [token] and Bearer [secret]')
  expect(message.length).toBeLessThan(500)
  await fake.close()
})

it.each(Object.keys(worlds))('%s: a page whose next page is itself is a fault', async (name) => {
  const { fake, first, next } = await (worlds[name] as (pages: number) => Promise<World>)(3)
  const pages = new Map<string, FakeAnswer>()
  let requestCount = 0
  fake.faults = [
    (request, answer) => {
      if (!/(users|devices|managedDevices)$/i.test(request.path)) return null
      // Repeats the second response for all later requests.
      const page = ++requestCount < 2 ? answer() : (pages.get('same') ?? answer())
      if (requestCount === 2) pages.set('same', page)
      return page
    },
  ]
  let position = (await first()).next
  let found: unknown = null
  for (let i = 0; i < 3 && found === null; i++) {
    try {
      position = ((await next(position)) as { next: string }).next
    } catch (error) {
      found = error
    }
  }
  expect(found).toMatchObject({
    faultClass: 'position_lost',
    finalClass: 'fatal',
    message: expect.stringMatching(/invalid data: its next page is the same page\.$/),
  })
  await fake.close()
})
