import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler } from '#functions/api/portal-sessions/delete-portal-session.ts'
import { handler as list } from '#functions/api/portal-sessions/list-portal-sessions.ts'
import { clock } from '#shared/core/clock.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { indexPartition } from '#shared/table/keys.ts'
import { getRow, sortKeysOf } from '#shared/table/read.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

async function newSession(of = account, given: Parameters<typeof signInWith>[2] = {}) {
  const issued = await signInWith(of, 'portal', given)
  return { ...issued, actorId: issued.actor.id, id: issued.state?.credential.id ?? '' }
}
const end = (actor_id: string, id: string, of: Pick<Account, 'call'> = account, headers = {}) =>
  of.call(handler, { method: 'DELETE', params: { actor_id, id }, headers })
const statusWith = async (token: string) => (await call(getAccount, { token })).status

describe('DELETE /actors/{actor_id}/portal_sessions/{id} (K11.G11)', () => {
  it('ends a session at once, and no other session', async () => {
    const one = await newSession()
    const other = await newSession(account, { actorId: one.actorId, provider: one.provider })
    expect(await statusWith(one.token)).toBe(200)
    const { status, body } = await end(one.actorId, one.id.toUpperCase())
    expect([status, body]).toEqual([200, { data: { id: one.id } }])
    expect([await statusWith(one.token), await statusWith(other.token)]).toEqual([401, 200])
    const { data } = (await account.call(list, { params: { actor_id: one.actorId } })).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual([other.id])
    // Leaves neither the row nor its index items.
    expect(await getRow(portalSessions, account.id, one.id)).toBeNull()
    for (const [field, value] of [
      ['actor_id', one.actorId],
      ['auth_provider_id', one.provider.id],
    ] as const)
      expect(await sortKeysOf(indexPartition(account.id, portalSessions.name, field, value))).toEqual([other.id])
  })

  it('returns 404 for a session that has ended, has expired, or belongs to another actor or account', async () => {
    const one = await newSession()
    const other = await newSession()
    const stranger = await newAccount()
    const foreign = await newSession(stranger)
    for (const [actorId, id] of [
      [one.actorId, randomUUID()],
      [one.actorId, other.id],
      [other.actorId, one.id],
      [randomUUID(), one.id],
      [foreign.actorId, foreign.id],
      [one.actorId, account.tokenId],
    ] as const)
      expect((await end(actorId, id)).status).toBe(404)
    expect((await end(one.actorId, one.id, stranger)).status).toBe(404)
    expect([await statusWith(one.token), await statusWith(other.token), await statusWith(foreign.token)]).toEqual([
      200, 200, 200,
    ])
    expect((await end(one.actorId, one.id)).status).toBe(200)
    expect((await end(one.actorId, one.id)).status).toBe(404)
    expect((await end(one.actorId, 'x')).body.code).toBe('invalid_path_parameter')

    const now = clock.now.bind(clock)
    const later = vi.spyOn(clock, 'now').mockImplementation(() => now() + 86_400_000_000)
    expect((await end(other.actorId, other.id)).status).toBe(404)
    later.mockRestore()
  })

  it('ends the own session, and ends once for concurrent requests', async () => {
    const own = await newSession()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        call(handler, { method: 'DELETE', token: own.token, params: { actor_id: own.actorId, id: own.id } }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status !== 200).every((status) => status === 401 || status === 404)).toBe(true)
    expect(await statusWith(own.token)).toBe(401)
  })

  it('requires tokens:write, which also ends sessions of administrators', async () => {
    const one = await newSession()
    const refused = await end(one.actorId, one.id, await withScopes(account, '*:read', 'actors:write'))
    expect([refused.status, refused.body.required_scope]).toEqual([403, 'tokens:write'])
    expect(await statusWith(one.token)).toBe(200)
    expect((await end(one.actorId, one.id, await withScopes(account, 'tokens:write'))).status).toBe(200)
  })

  it('has no entity tag to compare, so that only If-Match: * is accepted', async () => {
    const one = await newSession()
    expect((await end(one.actorId, one.id, account, { 'if-match': '"x"' })).status).toBe(412)
    expect((await end(one.actorId, one.id, account, { 'if-match': '*' })).status).toBe(200)
  })

  it('has an entry in the request log and none in the change log, and costs as DELETE /sign_in/session', async () => {
    const own = await newAccount()
    // Measures several requests, because a request may also record the use of the token, or lease units of the rate limit.
    const costs: Consumed[] = []
    for (let i = 0; i < 3; i++) {
      const { actorId, id } = await newSession(own)
      costs.push(await measure(() => end(actorId, id, own)))
    }
    expect(Math.min(...costs.map(({ reads }) => reads))).toBeLessThanOrEqual(9)
    expect(Math.min(...costs.map(({ writes }) => writes))).toBeLessThanOrEqual(12)
    await writeChangeLogOf(own.id)
    const types = async (type: string) => (await own.call(listLogs, { query: { type } })).body.data
    expect((await types('api_request')).filter(({ method }: { method: string }) => method === 'DELETE')).toHaveLength(3)
    const changed = (await types('change')).map(({ object }: { object: string }) => object)
    expect(changed).not.toContain('portal_sessions')
  })
})
