import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { after, always, changeBody, on, times } from '#test/fakes/faults.ts'
import { type IdpFake, idpApp, idpCompany, idpFake, idpFaults, idpGroup, idpUser } from '#test/fakes/idp.ts'
import { directoryKey, idpOf } from '#test/support/sync/fake-directories.ts'
import {
  callsFakes,
  faultOf,
  groupOf,
  person17,
  walkGroups,
  walkMembers,
  walkUsers,
} from '#test/support/sync/read-directory.ts'

callsFakes()

let fake: IdpFake
beforeEach(async () => {
  fake = await idpFake({ keys: [directoryKey().jwk] })
})
afterEach(() => {
  vi.restoreAllMocks()
  return fake.close()
})

it('reads users, groups and members of a company of 1,200 over all pages', async () => {
  Object.assign(fake.data, idpCompany(1_200, 230))
  const adapter = idpOf(fake)
  const users = await walkUsers(adapter)
  expect(users.entries.map(({ idp_id }) => idp_id)).toEqual(fake.data.users.map(({ id }) => id))
  expect(users.pages).toBe(3)
  expect(users.entries[17]).toEqual({ idp_id: '00u0000000017', ...person17 })
  const groups = await walkGroups(adapter)
  expect(groups.entries.map(({ idp_id, name }) => [idp_id, name])).toEqual(
    fake.data.groups.map(({ id, name }) => [id, name]),
  )
  fake.data.groups.push(
    idpGroup(
      'all',
      fake.data.users.map(({ id }) => id),
    ),
  )
  const members = await walkMembers(adapter, groupOf('all'))
  expect(members.entries).toEqual(fake.data.users.map(({ id }) => ({ user: id })))
  expect(members.pages).toBe(6)
  expect(adapter.issuer).toBe('https://company.example.com')
})

it('returns the version of a group that changes with its members', async () => {
  fake.data.groups = [idpGroup('g', [], { lastMembershipUpdated: '2026-05-05T00:00:00.000Z' })]
  fake.data.apps = [idpApp('a', { groups: ['g'] })]
  const { entries } = await walkGroups(idpOf(fake))
  expect(entries).toEqual([
    {
      idp_id: 'g',
      name: 'Group g',
      email: null,
      entity_type: 'group',
      membership_version: '2026-05-05T00:00:00.000Z',
      stated_members: null,
    },
  ])
})

it('returns people who can sign in now or later as active, and all others as inactive', async () => {
  const statuses = [
    'ACTIVE',
    'STAGED',
    'PROVISIONED',
    'RECOVERY',
    'PASSWORD_EXPIRED',
    'LOCKED_OUT',
    'SUSPENDED',
    'DEPROVISIONED',
  ]
  fake.data.users = statuses.map((status) => idpUser(status, { status }))
  fake.data.apps = [idpApp('a', { users: statuses })]
  const { entries } = await walkUsers(idpOf(fake))
  expect(entries.map(({ idp_id, active }) => [idp_id, active])).toEqual(
    statuses.map((status) => [status, !['SUSPENDED', 'DEPROVISIONED'].includes(status)]),
  )
})

it('skips active people without a valid email, and returns inactive ones without email', async () => {
  const profile = { login: 'l', email: null, firstName: 'No', lastName: 'Mail' }
  fake.data.users = [
    idpUser('none', { profile }),
    idpUser('bad', { profile: { ...profile, email: 'no address' } }),
    idpUser('gone', { profile, status: 'SUSPENDED' }),
  ]
  fake.data.apps = [idpApp('a', { users: ['none', 'bad', 'gone'] })]
  const { entries, skipped } = await walkUsers(idpOf(fake))
  expect(entries).toMatchObject([{ idp_id: 'gone', active: false, email: null }])
  expect(skipped).toEqual([
    { idp_id: 'none', name: 'No Mail', reason: 'no_email' },
    { idp_id: 'bad', name: 'No Mail', reason: 'invalid_email' },
  ])
})

it('complaint 9, #11470: reads all visible sign-in applications, and no others', async () => {
  fake.data.users = ['a', 'b', 'c', 'd', 'e'].map((id) => idpUser(id))
  fake.data.groups = [idpGroup('g', ['b'])]
  fake.data.apps = [
    idpApp('2', { users: ['a'], groups: ['g'] }),
    idpApp('1', { users: ['a', 'c'] }),
    idpApp('service', { users: ['d'], applicationType: 'service' }),
    idpApp('saml', { users: ['d'], signOnMode: 'SAML_2_0' }),
    idpApp('off', { users: ['e'], status: 'INACTIVE' }),
  ]
  const adapter = idpOf(fake)
  const users = await walkUsers(adapter)
  expect(users.entries.map(({ idp_id }) => idp_id).sort()).toEqual(['a', 'a', 'b', 'c'])
  expect((await walkGroups(adapter)).entries.map(({ idp_id }) => idp_id)).toEqual(['g'])
})

it('resumes at a position in another process', async () => {
  Object.assign(fake.data, idpCompany(620, 3))
  fake.data.apps.push(idpApp('0oa2', { users: [fake.data.users[0]?.id as string] }))
  const ids: string[] = []
  let position: string | null = null
  do {
    const page: Awaited<ReturnType<ReturnType<typeof idpOf>['users']>> = await idpOf(fake).users(position)
    ids.push(...page.entries.map(({ idp_id }) => idp_id))
    position = page.next
  } while (position !== null)
  expect(ids).toEqual([...fake.data.users.map(({ id }) => id), fake.data.users[0]?.id])
})

it('complaint 9, #12107: works whether or not the app requires proof of possession', async () => {
  Object.assign(fake.data, idpCompany(10, 2))
  for (const dpop of [true, false]) {
    fake.data.dpop = dpop
    expect((await walkUsers(idpOf(fake))).entries).toHaveLength(10)
  }
  expect([...fake.issued.values()].map(({ jkt }) => typeof jkt)).toEqual(['string', 'string'])
})

it('works with a provider that issues bearer tokens despite a proof', async () => {
  Object.assign(fake.data, idpCompany(4, 2))
  fake.issued.set('plain', { scopes: fake.data.scopes, jkt: null })
  fake.faults = [on(/^\/oauth2/, always({ json: { token_type: 'Bearer', expires_in: 3_600, access_token: 'plain' } }))]
  expect((await walkUsers(idpOf(fake))).entries).toHaveLength(4)
  expect(fake.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer plain' })
  expect(fake.requests.at(-1)?.headers.dpop).toBeUndefined()
})

it('uses the new nonce after the provider has changed it', async () => {
  Object.assign(fake.data, idpCompany(4, 2))
  const adapter = idpOf(fake)
  await adapter.users(null)
  fake.nonce = 'nonce-2'
  for (const issued of fake.issued.values()) issued.isExpired = true
  expect((await adapter.users(null)).entries).toHaveLength(4)
  expect(fake.issued.size).toBe(2)
})

it('complaint 2, #8745: renews a token that expires during a list, once for all callers', async () => {
  Object.assign(fake.data, idpCompany(30, 8))
  const adapter = idpOf(fake)
  await walkUsers(adapter)
  for (const issued of fake.issued.values()) issued.isExpired = true
  await Promise.all(fake.data.groups.slice(0, 4).map(({ id }) => adapter.members(groupOf(id), null)))
  expect(fake.issued.size).toBeLessThanOrEqual(3)
  expect([...fake.issued.values()].filter(({ isExpired: ended }) => !ended).length).toBeGreaterThan(0)
})

it('complaint 2, #6748, #6794, Pomerium #1256, #1341: leaves half of the limits of each collection to others', async () => {
  Object.assign(fake.data, idpCompany(60, 40), { rateLimit: 12 })
  let now = Date.now()
  vi.spyOn(clock, 'monotonic').mockImplementation(() => now)
  fake.now = clock.monotonic
  const adapter = idpOf(fake)
  const maxRunning = new Map<string, number>()
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        const { faultClass, retryAfterMs } = await faultOf(Promise.reject(error))
        expect(faultClass).toBe('retry')
        // Expects the time until the provider resets its limits, plus at most two seconds.
        expect(retryAfterMs).toBeGreaterThanOrEqual(30_000)
        expect(retryAfterMs).toBeLessThanOrEqual(32_000)
        now += retryAfterMs ?? 0
        for (const [bucket, used] of fake.used) maxRunning.set(bucket, Math.max(used, maxRunning.get(bucket) ?? 0))
        fake.used.clear()
      }
    }
  }
  await read(() => adapter.users(null))
  for (const { id } of fake.data.groups) await read(() => adapter.members(groupOf(id), null))
  expect(maxRunning.get('groups')).toBe(6)
  expect(Math.max(...maxRunning.values(), ...fake.used.values())).toBeLessThanOrEqual(6)
})

it('ignores the host of a page link and uses only its cursor', async () => {
  Object.assign(fake.data, idpCompany(600, 2))
  fake.faults = [
    (_request, answer) => {
      const whole = answer()
      const link = [whole.headers?.link ?? []]
        .flat()
        .map((one) => one.replace(fake.url, 'https://attacker.example.com'))
      return { ...whole, headers: { ...whole.headers, link } }
    },
  ]
  expect((await walkUsers(idpOf(fake))).entries).toHaveLength(600)
})

it('loses its position when an application is deleted during the read', async () => {
  Object.assign(fake.data, idpCompany(600, 2))
  const adapter = idpOf(fake)
  const { next } = await adapter.users(null)
  fake.data.apps = [idpApp('other', { users: [fake.data.users[0]?.id as string] })]
  expect(await faultOf(adapter.users(next))).toMatchObject({ faultClass: 'position_lost' })
  expect((await walkUsers(adapter)).entries).toHaveLength(1)
})

it('confirms only active and assigned users', async () => {
  fake.data.users = [idpUser('a'), idpUser('b'), idpUser('c', { status: 'SUSPENDED' }), idpUser('d')]
  fake.data.groups = [idpGroup('g', ['d'])]
  fake.data.apps = [idpApp('1', { users: ['a', 'c'] }), idpApp('2', { groups: ['g'] })]
  expect(await idpOf(fake).confirm(['a', 'b', 'c', 'd', 'e'])).toEqual(['a', 'd'])
})

it('resumes after the users already confirmed when the rate limit interrupts it', async () => {
  fake.data.users = Array.from({ length: 30 }, (_, at) => idpUser(`u${at}`))
  fake.data.apps = [idpApp('1', { users: ['u29'] })]
  fake.data.rateLimit = 12
  let now = Date.now()
  vi.spyOn(clock, 'monotonic').mockImplementation(() => now)
  const adapter = idpOf(fake)
  const ids = fake.data.users.map(({ id }) => id)
  let confirmed: string[] | null = null
  let tries = 0
  while (confirmed === null && tries++ < 20) {
    confirmed = await adapter.confirm(ids).catch(async (error) => {
      now += (await faultOf(Promise.reject(error))).retryAfterMs ?? 0
      fake.used.clear()
      return null
    })
  }
  expect(confirmed).toEqual(['u29'])
  expect(fake.requests.filter(({ path }) => path === '/api/v1/users/u0')).toHaveLength(1)
})

it.each([
  [
    'an entry without its user',
    changeBody((list) => (list as unknown as object[]).map((one) => ({ ...one, _embedded: {} }))),
  ],
  ['an object instead of a list', changeBody(() => ({ users: [] }))],
  ['an entry without an id', changeBody(() => [{ status: 'ACTIVE' }])],
])('rejects %s', async (_name, fault) => {
  Object.assign(fake.data, idpCompany(10, 2))
  fake.faults = [on(/apps\/0oa1\/users/, fault)]
  const fault_ = await faultOf(walkUsers(idpOf(fake)))
  expect(fault_).toMatchObject({ faultClass: 'fatal', message: expect.stringContaining('invalid data') })
})

it('resumes the list after it was throttled', async () => {
  Object.assign(fake.data, idpCompany(1_200, 2))
  const adapter = idpOf(fake)
  fake.faults = [after(4, times(1, idpFaults.throttled))]
  const first = await adapter.users(null)
  expect(await faultOf(adapter.users(first.next))).toMatchObject({ faultClass: 'retry', retryAfterMs: 21_000 })
  vi.spyOn(clock, 'monotonic').mockReturnValue(Date.now() + 30_000)
  expect((await adapter.users(first.next)).entries).toHaveLength(500)
})

it('sends at most 10 requests per second after a burst if the provider reports no limits', async () => {
  Object.assign(fake.data, idpCompany(10, 2))
  const start = 1_000_000
  let now = start
  vi.spyOn(clock, 'monotonic').mockImplementation(() => now)
  vi.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
    now += ms
  })
  const adapter = idpOf(fake)
  for (let i = 0; i < 80; i++) await adapter.members(groupOf(fake.data.groups[0]?.id ?? ''), null)
  expect(now - start).toBeGreaterThanOrEqual(2_900)
})
