import { randomUUID } from 'node:crypto'
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { handler as end } from '#functions/api/client-sessions/end-client-session.ts'
import { handler } from '#functions/api/client-sessions/renew-client-session.ts'
import { commit } from '#shared/commit/commit.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { findPresence, presenceKey } from '#shared/domain/sessions/presence.ts'
import { getItem, getRow } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { call } from '#test/support/accounts/account.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { failTable } from '#test/support/table/table-faults.ts'

const fromHome = [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }]

afterEach(() => vi.restoreAllMocks())

describe('a client heartbeat (P3.2)', () => {
  const beat = (token: string, id: string, sourceIp?: string) =>
    call(handler, { method: 'PUT', token, params: { id }, sourceIp })

  test('renews the lease up to the end of its token (P1.3)', async () => {
    const world = await newAccessWorld()
    const soon = timestamp(clock.now() + 60_000_000)
    const { token } = await world.addToken(world.actor, soon)
    const started = (await world.startSession({}, { token })).body.data
    const renewed = await beat(token, started.id)
    expect([started.expires_at, renewed.body.data.expires_at]).toEqual([soon, soon])
  })

  test('renews the lease and returns the reachable resources', async () => {
    const world = await newAccessWorld()
    const { id, expires_at } = (await world.startSession()).body.data
    const first = await beat(world.token.token, id)
    expect(first).toMatchObject({
      status: 200,
      body: { data: { id, heartbeat_secs: 30, resources: [{ id: world.resource.id }] } },
    })
    expect(first.body.data.expires_at > expires_at).toBe(true)
    await commit({ accountId: world.account.id, subject: null }, async (transaction) =>
      transaction.delete(memberships, world.membership),
    )
    expect((await beat(world.token.token, id)).body.data.resources).toEqual([])
  })

  test("clears fields of the client's location that are unknown now", async () => {
    const world = await newAccessWorld()
    const { id, client } = (await world.startSession()).body.data
    const readSeen = async (userAgent: string) => {
      const headers = { 'user-agent': userAgent }
      await call(handler, { method: 'PUT', token: world.token.token, params: { id }, headers })
      const presenceItem = await findPresence(world.account.id, 'clients', client.id)
      expect(Object.values(presenceItem ?? [])).not.toContain(null)
      return presenceItem?.last_seen_user_agent
    }
    expect([await readSeen('client/2'), await readSeen(''), await readSeen('client/3')]).toEqual([
      'client/2',
      undefined,
      'client/3',
    ])
  })

  test('returns 404 for a session that is unknown, ended, or of another token', async () => {
    const world = await newAccessWorld()
    const other = await world.addToken()
    const { id } = (await world.startSession()).body.data
    expect((await beat(world.token.token, randomUUID())).status).toBe(404)
    expect((await beat(other.token, id)).status).toBe(404)
    expect((await call(end, { method: 'DELETE', token: world.token.token, params: { id } })).status).toBe(200)
    expect((await beat(world.token.token, id)).status).toBe(404)

    const lapsed = (await world.startSession()).body.data.id
    const now = clock.now()
    vi.spyOn(clock, 'now').mockReturnValue(now + 91_000_000)
    expect((await beat(world.token.token, lapsed)).status).toBe(404)
  })

  test('does not renew the lease if the response fails', async () => {
    const world = await newAccessWorld()
    const { id, client } = (await world.startSession()).body.data
    const presence = () => getItem(presenceKey(world.account.id, 'clients', client.id))
    const before = await presence()
    failTable(
      'ServiceUnavailable',
      (command) => command instanceof BatchGetCommand && JSON.stringify(command.input).includes('#resources"'),
    )
    expect((await beat(world.token.token, id)).status).toBe(503)
    vi.restoreAllMocks()
    expect(await presence()).toEqual(before)
    expect((await beat(world.token.token, id)).status).toBe(200)
  })

  test('at another location ends nonconforming authorizations', async () => {
    const world = await newAccessWorld(fromHome)
    await world.addGateway()
    const { id, client } = (await world.startSession()).body.data
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
    const listAuthorizations = () => authorizationsOf(world.account.id, { by: 'client', id: client.id })
    expect(await listAuthorizations()).toHaveLength(1)
    await beat(world.token.token, id)
    expect(await listAuthorizations()).toHaveLength(1)
    const moved = await beat(world.token.token, id, '198.51.100.7')
    expect(moved.body.data.resources).toEqual([])
    expect(await listAuthorizations()).toHaveLength(0)
  })

  test('ends authorizations that require verification after the client lost it', async () => {
    const world = await newAccessWorld([{ property: 'client_verified', operator: 'is', values: ['true'] }])
    await world.addGateway()
    const { id, client } = (await world.startSession()).body.data
    expect((await world.ask({ resource_id: world.resource.id })).body.code).toBe('conditions_violated')
    const row = async () => (await getRow(clients, world.account.id, client.id)) as ClientRow
    await updateRow(world.account.id, clients, await row(), { verified_at: '2026-01-01T00:00:00.000000Z' })
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
    await updateRow(world.account.id, clients, await row(), { verified_at: null })
    await beat(world.token.token, id)
    expect(await authorizationsOf(world.account.id, { by: 'client', id: client.id })).toHaveLength(0)
  })
})
