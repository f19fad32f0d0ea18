import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as evaluate } from '#functions/api/access/evaluate-access.ts'
import { handler as createApiToken } from '#functions/api/api-tokens/create-api-token.ts'
import { handler as endPortalSession } from '#functions/sign-in/portal-sessions/end-portal-session.ts'
import { handler as getSession } from '#functions/sign-in/portal-sessions/get-session.ts'
import { accountVersionKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { apiTokensApi, inAnHour, newApiClient } from '#test/support/accounts/api-tokens.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { insertAdmin, signInWith } from '#test/support/accounts/portal-sessions.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { type Entry, loadEntries } from '#test/support/operations/operations.ts'

/** Laws of read-only people (K11.G14): a session with `portal_scopes` reads everything, changes nothing and gets no secret. */

const entries = await loadEntries()
const inAccountApi = entries.filter(({ operation: { credential = 'api', path } }) => {
  return credential === 'api' && !path.startsWith('/v0/')
})
const isRead = ({ operation: { method, permission } }: Entry): boolean =>
  permission === undefined ? method === 'GET' : permission.endsWith(':read')
const reads = inAccountApi.filter(isRead)
const changes = inAccountApi.filter((entry) => !isRead(entry))
const closed = entries.filter(({ operation: { credential = 'api', path } }) => {
  return ['client', 'gateway', 'ingest'].includes(credential) || path.startsWith('/v0/')
})

const request = ({ operation: { method, path, body } }: Entry, id: string) => ({
  method,
  path,
  params: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name as string, id])),
  body: body && (body.envelope === null ? {} : { [body.envelope]: body.shape === 'list' ? [] : {} }),
})

const people = ['account_user', 'account_admin_user'] as const

const newPerson = ({ id }: Pick<Account, 'id'>, type: (typeof people)[number] = 'account_user') =>
  insertActor(id, { type, email: `${randomUUID()}@example.com`, portal_scopes: ['*:read'] })

it('has no operation that only reads but returns a secret, and one that is no GET', () => {
  expect(reads.filter(({ operation }) => operation.secret).map(({ name }) => name)).toEqual([])
  expect(reads.filter(({ operation }) => operation.method !== 'GET').map(({ name }) => name)).toEqual([
    'POST /access/evaluate',
  ])
  expect(changes.filter(({ operation }) => operation.permission === undefined).map(({ name }) => name)).toEqual([])
})

describe.each(people)('the session of an %s with portal_scopes', (type) => {
  let world: AccessWorld
  let token: string
  let actorId: string
  beforeAll(async () => {
    world = await newAccessWorld([], { limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
    actorId = (await newPerson(world.account, type)).id
    token = (await signInWith(world.account, 'portal', { actorId })).token
  })
  const versionOf = () => getItem(accountVersionKey(world.account.id))

  it.each(reads.map((entry) => [entry.name, entry] as const))('may use %s', async (_name, entry) => {
    const { status, text } = await call(entry.handler, { ...request(entry, randomUUID()), token })
    expect([401, 403, 429, 500, 503], text).not.toContain(status)
  })

  it('explains access, which changes nothing', async () => {
    const before = await versionOf()
    const body = { actor_id: world.actor.id, resource_id: world.resource.id }
    const answer = await call(evaluate, { method: 'POST', body, token, headers: { 'idempotency-key': 'evaluate' } })
    expect([answer.status, answer.body.data.decision]).toEqual([200, 'allow'])
    expect(await versionOf()).toEqual(before)
  })

  it.each(changes.map((entry) => [entry.name, entry] as const))('may not use %s', async (name, entry) => {
    const before = await versionOf()
    const ownActor = name.includes('/actors/{id}') ? actorId : randomUUID()
    const keys: Record<string, string>[] = [{}, { 'idempotency-key': name.replaceAll(/[^\w/]/g, '') }]
    for (const headers of keys) {
      const answer = await call(entry.handler, { ...request(entry, ownActor), token, headers })
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope'])
    }
    expect(await versionOf()).toEqual(before)
  })

  it.each(closed.map((entry) => [entry.name, entry] as const))('is not accepted by %s', async (_name, entry) => {
    expect((await call(entry.handler, { ...request(entry, randomUUID()), token })).status).toBe(401)
  })

  it('states its scopes, and ends only itself', async () => {
    const other = (await signInWith(world.account, 'portal', { actorId })).token
    expect((await call(getSession, { token: other })).body.data).toMatchObject({ actor: { type }, scopes: ['*:read'] })
    expect((await call(endPortalSession, { method: 'DELETE', token: other })).status).toBe(200)
    expect((await call(getSession, { token: other })).status).toBe(401)
    expect((await call(getSession, { token })).status).toBe(200)
  })
})

describe('an administrator who becomes read-only', () => {
  it('gets no replay of a one-time token, whichever session asks for it', async () => {
    const account = await newAccount()
    const { id: actorId } = await insertAdmin(account.id)
    const client = await newApiClient(account)
    const create = (token: string) =>
      call(createApiToken, {
        method: 'POST',
        path: `/actors/${client}/api_tokens`,
        params: { actor_id: client },
        body: { api_token: { expires_at: '2099-01-01T00:00:00Z' } },
        headers: { 'idempotency-key': 'once' },
        token,
      })
    const full = (await signInWith(account, 'portal', { actorId })).token
    const shown = await create(full)
    expect([shown.status, (await create(full)).text]).toEqual([201, shown.text])
    expect((await actorsApi.update(account, actorId, { portal_scopes: ['*:read'] })).status).toBe(200)
    expect((await create(full)).status).toBe(401)
    const limited = (await signInWith(account, 'portal', { actorId })).token
    const refused = await create(limited)
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
    expect(refused.text).not.toContain(shown.body.data.token)
  })

  it('keeps no wider session, and none after losing the portal scopes as a user', async () => {
    const account = await newAccount()
    const { id: actorId } = await newPerson(account)
    const session = async () => (await signInWith(account, 'portal', { actorId })).token
    const statusOf = async (token: string) => (await call(getSession, { token })).status
    const [narrow] = [await session()]
    await actorsApi.update(account, actorId, { portal_scopes: ['*:read'], name: 'Unchanged scopes' })
    expect(await statusOf(narrow)).toBe(200)
    await actorsApi.update(account, actorId, { portal_scopes: null })
    expect(await statusOf(narrow)).toBe(401)
    await expect(session()).rejects.toThrow('actor_not_admin')
    const restored = await actorsApi.update(account, actorId, { portal_scopes: ['*:read'] })
    expect(restored.body.data.portal_scopes).toEqual(['*:read'])
    expect((await call(getSession, { token: await session() })).body.data.scopes).toEqual(['*:read'])
  })

  it('reads no token of its own actor that another credential could use', async () => {
    const account = await newAccount()
    const { token } = await signInWith(account, 'portal', { actorId: (await newPerson(account)).id })
    const secret = (await apiTokensApi.create(account, account.apiClient.id, { expires_at: inAnHour() })).body.data
      .token
    for (const { handler, operation } of reads.filter(({ operation: { path } }) =>
      /token|provider|director/.test(path),
    )) {
      const { text } = await call(handler, { ...request({ operation } as Entry, account.apiClient.id), token })
      expect(text).not.toMatch(/na[acgp]_[\w-]{100}/)
      expect(text).not.toContain(secret)
    }
  })
})
