import { createHash } from 'node:crypto'
import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as createGateway } from '#functions/api/gateways/create-gateway.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clock } from '#shared/core/clock.ts'
import { decryptBytes, deriveKey } from '#shared/core/secrets/sealed-bytes.ts'
import { readToken } from '#shared/core/secrets/token.ts'
import type { Item } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { engineError, interceptEngine } from '#test/support/table/intercept-engine.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const create = (name: unknown, key: string, more: Record<string, unknown> = {}) =>
  account.call(createGroup, {
    method: 'POST',
    path: '/groups',
    body: { group: { name } },
    headers: { 'idempotency-key': key },
    ...more,
  })
const countByName = async (name: string) => (await account.call(listGroups, { query: { name } })).body.data.length

describe('a repeated request', () => {
  it('runs once and returns the first response', async () => {
    const first = await create('Once', 'once')
    const second = await create('Once', 'once')
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, 'true'])
    expect(second.text).toBe(first.text)
    expect(second.headers.location).toBe(first.headers.location)
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect(await countByName('Once')).toBe(1)
  })

  it('encrypts the response to a request with a cookie by the token in the cookie (K3.3)', async () => {
    vi.stubEnv('SERVICE_URL', 'https://access.example.com')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { token } = await signInWith(account, 'portal')
    const request = {
      method: 'POST',
      path: '/groups',
      body: { group: { name: 'By cookie' } },
      headers: { 'x-console': account.slug, 'sec-fetch-site': 'same-origin', 'idempotency-key': 'cookie' },
      cookies: [`__Host-console-${account.slug}=${token}`],
    }
    const [first, second] = [await call(createGroup, request), await call(createGroup, request)]
    expect([first.status, second.headers['idempotent-replayed'], second.text]).toEqual([201, 'true', first.text])
    const session = readToken(['portal'], token)?.tokenId
    const [kept] = await queryItems<Item>(`${account.id}#idempotency#${session}`)
    const openWith = (secret: string) =>
      decryptBytes(deriveKey(secret, `kept answer ${kept?.pk}${kept?.sk}`), kept?.answer as Uint8Array)
    expect(() => openWith('')).toThrow()
    expect(openWith(token).length).toBeGreaterThan(0)
  })

  it('returns the secret of the first response, which is unreadable in the table', async () => {
    const site = (await account.call(createSite, { method: 'POST', body: { site: { name: 'Safe' } } })).body.data
    const request = { method: 'POST', params: { site_id: site.id }, headers: { 'idempotency-key': 'secret' } }
    const first = await account.call(createGateway, request)
    const second = await account.call(createGateway, request)
    expect(second.body.data.token).toBe(first.body.data.token)
    expect(second.headers['cache-control']).toBe('no-store')
    const kept = await queryItems(`${account.id}#idempotency#${account.tokenId}`)
    expect(kept.length).toBeGreaterThan(0)
    const bytes = kept.map(({ answer }) => Buffer.from(answer as Uint8Array).toString('latin1')).join()
    expect(bytes).not.toContain(first.body.data.token.slice(-20))
  })

  it('never returns the stored response of another key, or a damaged one', async () => {
    const [mine, other] = [await create('Mine', 'mine'), await create('Theirs', 'other')]
    const items = (await queryItems(`${account.id}#idempotency#${account.tokenId}`)) as Item[]
    const at = (key: string) => items.find(({ sk }) => sk === createHash('sha256').update(key).digest('base64url'))
    const bytes = Buffer.from(at('other')?.answer as Uint8Array)
    for (const answer of [bytes, bytes.subarray(0, -1), bytes.subarray(0, 5), Buffer.alloc(0)]) {
      const Item = { ...at('mine'), answer }
      await table().send(new PutCommand({ TableName: tableName(), Item }))
      const again = await create('Mine', 'mine')
      expect(again.status).toBe(500)
      expect(again.text).not.toContain(other.body.data.id)
    }
    await table().send(new PutCommand({ TableName: tableName(), Item: at('mine') as Item }))
    expect((await create('Mine', 'mine')).text).toBe(mine.text)
  })

  it('returns a refusal again, even if it would succeed now', async () => {
    const created = (await create('Taken', 'a')).body.data
    const refused = await create('Taken', 'b')
    expect(refused.status).toBe(422)
    await account.call(deleteGroup, { method: 'DELETE', params: { id: created.id } })
    const again = await create('Taken', 'b')
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([422, 'true', refused.text])
  })

  it('runs again after 24 hours', async () => {
    const { token } = await newAccount()
    await create('Daily', 'daily', { token })
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 24 * 3_600_000_000 + 1_000_000)
    expect((await create('Daily', 'daily', { token })).status).toBe(422)
  })
})

describe('an idempotency key', () => {
  it.each(['', ' ', 'with space', 'ümlaut', 'x'.repeat(256)])('%j is refused', async (key) => {
    const answer = await create('Refused', key)
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_idempotency_key'])
    expect(await countByName('Refused')).toBe(0)
  })

  it('of 255 characters is accepted', async () => {
    expect((await create('Long key', '~'.repeat(255))).status).toBe(201)
  })

  it('belongs to one request, and is refused with another body, path or query', async () => {
    await create('Mine', 'mine')
    for (const answer of [
      await create('Other', 'mine'),
      await create('Mine', 'mine', { path: '/groups/' }),
      await create('Mine', 'mine', { query: 'a=b' }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
      expect(answer.body).not.toHaveProperty('errors')
    }
    expect(await countByName('Other')).toBe(0)
  })

  it('belongs to its credential', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const event = {
      operation: 'create_api_token',
      token_in: 'answer',
      account_id: account.id,
      api_token: { expires_at },
    }
    const { data } = (await provision(event)) as { data: { api_token: { token: string } } }
    await create('Shared key', 'shared')
    expect((await create('Shared key too', 'shared', { token: data.api_token.token })).status).toBe(201)
  })

  it('does not bypass the scope check', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const event = {
      operation: 'create_api_token',
      token_in: 'answer',
      account_id: account.id,
      api_token: { expires_at, scopes: ['*:read'] },
    }
    const { data } = (await provision(event)) as { data: { api_token: { token: string } } }
    expect((await create('Scoped', 'scoped', { token: data.api_token.token })).body.code).toBe('insufficient_scope')
  })

  it('is in progress while the first request runs, and only one of concurrent requests runs', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create('Crowd', 'crowd')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0)
    for (const { status, body, headers } of answers) {
      if (status === 201) continue
      expect([status, body.code, headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '1'])
    }
    expect(await countByName('Crowd')).toBe(1)
  })
})

describe('an interrupted request', () => {
  it('is answered from its commit if it died after it', async () => {
    interceptTable(async (command, send) => {
      const answer = await send(command)
      if (command instanceof TransactWriteCommand) interceptTable(async () => Promise.reject(new Error('dead')))
      return answer
    })
    await create('Phoenix', 'phoenix').catch(() => {})
    vi.restoreAllMocks()
    const again = await create('Phoenix', 'phoenix')
    expect([again.status, again.headers['idempotent-replayed'], again.body.data.name]).toEqual([201, 'true', 'Phoenix'])
    expect(await countByName('Phoenix')).toBe(1)
  })

  it('continues if only the response of the lock was lost', async () => {
    let lost = 0
    onTestFinished(
      interceptEngine(async ({ operation, input, send: ask }) => {
        const answer = await ask()
        const isKey = operation === 'PutItem' && JSON.stringify(input).includes('"idempotency"')
        return isKey && lost++ === 0 ? engineError('InternalServerError', {}, 500) : answer
      }),
    )
    const first = await create('Unheard', 'unheard')
    expect([lost > 0, first.status]).toEqual([true, 201])
    const again = await create('Unheard', 'unheard')
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([201, 'true', first.text])
    expect(await countByName('Unheard')).toBe(1)
  })

  it('releases its key after 60 seconds if it died before its commit', async () => {
    const { token } = await newAccount()
    interceptTable(async (command, send) => {
      const isKey = (command as { input?: { Item?: { kind?: string } } }).input?.Item?.kind === 'idempotency'
      const answer = await send(command)
      if (isKey) interceptTable(async () => Promise.reject(new Error('dead')))
      return answer
    })
    await create('Ghost', 'ghost', { token }).catch(() => {})
    vi.restoreAllMocks()
    expect((await create('Ghost', 'ghost', { token })).body.code).toBe('idempotency_in_progress')
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 61_000_000)
    expect((await create('Ghost', 'ghost', { token })).status).toBe(201)
  })

  it('stores nothing if the table fails, and can be retried at once', async () => {
    interceptTable(async (command, send) => {
      if (command instanceof TransactWriteCommand) {
        throw Object.assign(new Error('no such item'), { name: 'ValidationException' })
      }
      return send(command)
    })
    expect((await create('Later', 'later')).status).toBe(500)
    vi.restoreAllMocks()
    expect((await create('Later', 'later')).status).toBe(201)
  })
})

it('applies to creates of every kind', async () => {
  const request = {
    method: 'POST',
    body: { actor: { name: 'Robot', type: 'service_account' } },
    headers: { 'idempotency-key': 'robot' },
  }
  const first = await account.call(createActor, request)
  expect((await account.call(createActor, request)).text).toBe(first.text)
})
