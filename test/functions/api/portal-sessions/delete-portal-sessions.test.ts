import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler } from '#functions/api/portal-sessions/delete-portal-sessions.ts'
import { clock } from '#shared/core/clock.ts'
import { type PortalSessionRow, portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { indexPartition } from '#shared/table/keys.ts'
import { sortKeysOf } from '#shared/table/read.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { insertAdmin, insertProvider, signInWith } from '#test/support/accounts/portal-sessions.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const endAll = (actor_id: string, of: Pick<Account, 'call'> = account) =>
  of.call(handler, { method: 'DELETE', params: { actor_id } })
const statusWith = async (token: string) => (await call(getAccount, { token })).status

describe('DELETE /actors/{actor_id}/portal_sessions (K11.G11)', () => {
  it('ends all sessions of an administrator, but no client sign-in and no session of others', async () => {
    const one = await signInWith(account, 'portal')
    const two = await signInWith(account, 'portal', { actorId: one.actor.id })
    const other = await signInWith(account, 'portal')
    expect((await endAll(one.actor.id)).body).toEqual({ data: { deleted_count: 2 } })
    const tokens = [one, two, other].map(({ token }) => token)
    expect(await Promise.all(tokens.map(statusWith))).toEqual([401, 401, 200])
    expect((await endAll(one.actor.id)).body).toEqual({ data: { deleted_count: 0 } })
  })

  it('counts the unexpired sessions', async () => {
    const { id: actorId } = await insertAdmin(account.id)
    const brief = await insertProvider(account.id, 'tenant', { portal_session_lifetime_secs: 300 })
    await signInWith(account, 'portal', { actorId, provider: brief })
    await signInWith(account, 'portal', { actorId })
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 300_000_000)
    expect((await endAll(actorId)).body.data.deleted_count).toBe(1)
  })

  it('ends more sessions than one commit can delete', async () => {
    const { id: actor_id } = await insertAdmin(account.id)
    await plantRows<PortalSessionRow>(account.id, portalSessions, 250, () => ({
      ...{ actor_id, auth_provider_id: null, expires_at: '2099-01-01T00:00:00.000000Z' },
      secret_hash: 'x'.repeat(44),
    }))
    expect((await endAll(actor_id)).body.data.deleted_count).toBe(250)
    expect(await sortKeysOf(indexPartition(account.id, portalSessions.name, 'actor_id', actor_id))).toEqual([])
  })

  it('ends the own sessions with one of them', async () => {
    const own = await signInWith(account, 'portal')
    const { status } = await call(handler, { method: 'DELETE', token: own.token, params: { actor_id: own.actor.id } })
    expect([status, await statusWith(own.token)]).toEqual([200, 401])
  })

  it('returns 404 for an unknown actor, and requires tokens:write', async () => {
    const stranger = await newAccount()
    const foreign = await signInWith(stranger, 'portal')
    for (const unknown of [randomUUID(), foreign.actor.id]) expect((await endAll(unknown)).status).toBe(404)
    expect(await statusWith(foreign.token)).toBe(200)
    const refused = await endAll(account.admin.id, await withScopes(account, '*:read', 'actors:write'))
    expect([refused.status, refused.body.required_scope]).toEqual([403, 'tokens:write'])
    expect((await endAll(account.admin.id, await withScopes(account, 'tokens:write'))).status).toBe(200)
    expect((await endAll('x')).body.code).toBe('invalid_path_parameter')
  })
})
