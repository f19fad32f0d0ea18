import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler } from '#functions/api/portal-sessions/list-portal-sessions.ts'
import { clock } from '#shared/core/clock.ts'
import { type PortalSessionRow, portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { insertAdmin, insertProvider, signInWith } from '#test/support/accounts/portal-sessions.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const list = (actor_id: string, query: Record<string, string> | string = {}, of = account) =>
  of.call(handler, { params: { actor_id }, query, path: `/actors/${actor_id}/portal_sessions` })
// biome-ignore lint/suspicious/noExplicitAny: bodies
const ids = ({ body }: any): string[] => body.data.map(({ id }: { id: string }) => id)

describe('GET /actors/{actor_id}/portal_sessions (K11.G11)', () => {
  it('lists the sessions of an administrator, newest first, without secrets and those of others', async () => {
    const first = await signInWith(account, 'portal')
    const second = await signInWith(account, 'portal', { actorId: first.actor.id })
    await signInWith(account, 'portal')
    await signInWith(account, 'client', { actorId: first.actor.id })
    const answer = await list(first.actor.id.toUpperCase())
    const sessionOf = ({ state, provider, expires_at }: typeof first) => ({
      ...{ id: state?.credential.id, actor_id: first.actor.id, auth_provider_id: provider.id },
      ...{ context: 'portal', expires_at, inserted_at: expect.stringMatching(/Z$/) },
    })
    expect(answer.body).toEqual({
      data: [sessionOf(second), sessionOf(first)],
      metadata: { limit: 50, next_page: null, prev_page: null },
    })
    expect(answer.text).not.toMatch(/secret|hash|nap_/)
    for (const { token } of [first, second]) expect(answer.text).not.toContain(token.slice(-43))
  })

  it('skips sessions that have expired', async () => {
    const { id: actorId } = await insertAdmin(account.id)
    const brief = await insertProvider(account.id, 'tenant', { portal_session_lifetime_secs: 300 })
    const long = await signInWith(account, 'portal', { actorId })
    await signInWith(account, 'portal', { actorId, provider: brief })
    expect(ids(await list(actorId))).toHaveLength(2)
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 300_000_000)
    expect(ids(await list(actorId))).toEqual([long.state?.credential.id])
    const { body } = await list(actorId, { limit: '1' })
    expect([ids({ body }), body.metadata.next_page]).toEqual([[long.state?.credential.id], null])
  })

  it('pages in both directions', async () => {
    const { id: actorId } = await insertAdmin(account.id)
    const all: unknown[] = []
    for (let i = 0; i < 3; i++) all.unshift((await signInWith(account, 'portal', { actorId })).state?.credential.id)
    const pages = [await list(actorId, { limit: '1' })]
    for (let next = pages[0]?.body.metadata.next_page; next; next = pages.at(-1)?.body.metadata.next_page)
      pages.push(await list(actorId, { limit: '1', page_cursor: next }))
    expect(pages.flatMap(ids)).toEqual(all)
    const back = await list(actorId, { limit: '9', page_cursor: pages.at(-1)?.body.metadata.prev_page })
    expect([ids(back), back.body.metadata.prev_page]).toEqual([all.slice(0, 2), null])
    const { id: other } = await insertAdmin(account.id)
    const page_cursor = pages[0]?.body.metadata.next_page
    expect((await list(other, { page_cursor })).body.code).toBe('invalid_page_cursor')
  })

  it('is empty for an actor without sessions, and 404 for an unknown one', async () => {
    expect((await list(account.apiClient.id)).body.data).toEqual([])
    const stranger = await signInWith(await newAccount(), 'portal')
    for (const unknown of [randomUUID(), stranger.actor.id]) expect((await list(unknown)).status).toBe(404)
    expect((await list(randomUUID(), { page_cursor: 'x' })).body.code).toBe('invalid_page_cursor')
    expect((await list(randomUUID(), 'limit=')).body.code).toBe('invalid_limit')
    expect((await list('x')).body.code).toBe('invalid_path_parameter')
  })

  it('requires tokens:read, and has an entry in the request log', async () => {
    const { actor } = await signInWith(account, 'portal')
    for (const scope of ['tokens:read', 'tokens:write', '*:read'])
      expect((await list(actor.id, {}, await withScopes(account, scope))).status).toBe(200)
    const refused = await list(actor.id, {}, await withScopes(account, 'actors:write', 'providers:write'))
    expect([refused.status, refused.body.required_scope]).toEqual([403, 'tokens:read'])
    const { body } = await account.call(listLogs, { query: { type: 'api_request', limit: '1000' } })
    expect(body.data.some(({ path }: { path: string }) => path === `/actors/${actor.id}/portal_sessions`)).toBe(true)
  })

  it('takes at most 10 read units and 2 per row, also for an administrator with many sessions', async () => {
    const { id: actor_id } = await insertAdmin(account.id)
    await plantRows<PortalSessionRow>(account.id, portalSessions, 400, () => ({
      ...{ actor_id, auth_provider_id: null, expires_at: '2099-01-01T00:00:00.000000Z' },
      secret_hash: 'x'.repeat(44),
    }))
    for (const limit of [1, 50, 300]) {
      const page = () => list(actor_id, { limit: String(limit) })
      expect(ids(await page())).toHaveLength(limit)
      expect((await measure(page)).reads).toBeLessThanOrEqual(10 + 2 * limit)
    }
  })
})
