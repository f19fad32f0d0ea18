import { randomUUID } from 'node:crypto'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { authorizationItems } from '#shared/access/authorization.ts'
import { authorizationsOf, revoke } from '#shared/commit/revoke.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { presenceKey } from '#shared/domain/sessions/presence.ts'
import { getItem } from '#shared/table/read.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { end, heartbeat, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call } from '#test/support/accounts/account.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { failTable } from '#test/support/table/table-faults.ts'

type World = Awaited<ReturnType<typeof newAccessWorld>>
let world: World
let gateway: Awaited<ReturnType<World['addGateway']>>
// biome-ignore lint/suspicious/noExplicitAny: bodies
let client: any
const clientKey = publicKey()
beforeEach(async () => {
  world = await newAccessWorld()
  gateway = await world.addGateway()
  client = (await world.startSession({ public_key: clientKey })).body.data
})

const beat = async (body?: unknown) => (await heartbeat(gateway.token, gateway.session.id, body)).body.data
const beatSince = (since: unknown) => beat({ session: { since } })
const ask = async (resource_id = world.resource.id) => (await world.ask({ resource_id })).body.data

describe('PUT /gateway/sessions/{id}', () => {
  it("renews the lease and stores the gateway's location", async () => {
    const now = clock.now()
    const later = vi.spyOn(clock, 'now').mockReturnValue(now + 60_000_000)
    const data = await beat()
    later.mockRestore()
    expect(data).toMatchObject({ id: gateway.session.id, heartbeat_secs: 30, expires_at: timestamp(now + 150_000_000) })
    expect(data.gateway).toEqual({ ...gateway.session.gateway, last_seen_at: timestamp(now + 60_000_000) })
  })

  it('returns all authorizations without since', async () => {
    expect(await beat()).toMatchObject({ complete: true, authorizations: [], added: null, removed: null, more: false })
    const { id, expires_at } = await ask()
    const data = await beat({})
    const { client: known } = client
    expect(data).toMatchObject({ complete: true, added: null, removed: null, more: false })
    const { inserted_at: _inserted, updated_at: _updated, ...resource } = world.resource
    expect(data.authorizations).toEqual([
      {
        id,
        client: { id: known.id, actor_id: world.actor.id, ipv4: known.ipv4, ipv6: known.ipv6, public_key: clientKey },
        resource,
        policy_id: world.policy.id,
        flow_log_uploads_enabled: true,
        expires_at,
        ingest_token: expect.any(String),
      },
    ])
    const claims = JSON.parse(Buffer.from(data.authorizations[0].ingest_token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ role: 'responder', policy_authorization_id: id })
    expect(await beat()).toMatchObject({ authorizations: data.authorizations })
  })

  it('returns the changes since a response, repeatably', async () => {
    const { since: empty } = await beat()
    const { id } = await ask()
    const first = await beatSince(empty)
    expect(first).toMatchObject({ complete: false, authorizations: null, added: [{ id }], removed: [], more: false })
    expect(await beatSince(first.since)).toMatchObject({ added: [], removed: [] })
    const filters: (typeof world.resource)['filters'] = [{ protocol: 'tcp', ports: ['443'] }]
    await updateRow(world.account.id, resources, world.resource, { filters })
    const changed = await beatSince(first.since)
    expect(changed).toMatchObject({ added: [{ id, resource: { filters } }], removed: [] })
    expect(await beatSince(first.since)).toEqual({
      ...changed,
      gateway: expect.anything(),
      expires_at: expect.anything(),
    })
    expect((await beatSince(changed.since)).added).toEqual([])
    await revoke(world.account.id, { by: 'policy', id: world.policy.id })
    expect(await beatSince(changed.since)).toMatchObject({ added: [], removed: [id] })
    expect(await beatSince(empty)).toMatchObject({ added: [], removed: [] })
  })

  it.each([['x'], [7], [null], [''], [{}]])('treats the since %j as absent', async (since) => {
    expect(await beatSince(since)).toMatchObject({ complete: true, authorizations: [], added: null })
  })

  it('treats the since of another session as absent', async () => {
    const { since } = await beat()
    const { id } = (await start(gateway.token, { public_key: gateway.public_key })).body.data
    const answer = await heartbeat(gateway.token, id, { session: { since } })
    expect(answer.body.data).toMatchObject({ complete: true, authorizations: [] })
  })

  it('removes an expired authorization', async () => {
    const { id, expires_at } = await ask()
    const { since } = await beat()
    const end = Date.parse(expires_at) * 1000
    expect(end).toBeGreaterThan(clock.now())
    await expire(id)
    expect(await beatSince(since)).toMatchObject({ added: [], removed: [id] })
  })

  it('ends an authorization whose client has no session', async () => {
    const { id } = await ask()
    const { since } = await beat()
    await call(endClientSession, { method: 'DELETE', token: world.token.token, params: { id: client.id } })
    expect(await beatSince(since)).toMatchObject({ removed: [id] })
    await world.startSession({ public_key: clientKey })
    expect(await beat()).toMatchObject({ authorizations: [] })
  })

  it('ends the authorizations of a gateway that starts with another key', async () => {
    await ask()
    await end(gateway.token, gateway.session.id)
    const same = (await start(gateway.token, { public_key: gateway.public_key })).body.data
    expect((await heartbeat(gateway.token, same.id)).body.data.authorizations).toHaveLength(1)
    await end(gateway.token, same.id)
    const other = (await start(gateway.token, { public_key: publicKey() })).body.data
    expect((await heartbeat(gateway.token, other.id)).body.data.authorizations).toEqual([])
  })

  it('lists at most 500, and the others in the next response', async () => {
    const { id } = await ask()
    const ids = [id, ...(await grantMany(620))]
    const first = await beat()
    expect(first).toMatchObject({ complete: true, more: true })
    const second = await beatSince(first.since)
    expect(second).toMatchObject({ complete: false, removed: [], more: false })
    const listed = [...first.authorizations, ...second.added].map((authorization) => authorization.id)
    expect([first.authorizations.length, second.added.length]).toEqual([500, 121])
    expect(listed.sort()).toEqual(ids.sort())
    await revoke(world.account.id, { by: 'client_token', id: world.token.id })
    expect((await beatSince(second.since)).removed).toHaveLength(621)
  })

  it('removes all authorizations of a lost client at once, and deletes only as many items as a heartbeat has time for', async () => {
    await ask()
    await grantMany(520)
    const { since } = await beat()
    const { since: whole } = await beatSince(since)
    const presence = presenceKey(world.account.id, 'clients', client.client.id)
    await writeTogether([put({ kind: 'presence', ...(await getItem(presence)), ...presence, lease_expires_at: 0 })])
    const first = await beatSince(whole)
    expect([first.added, first.removed.length]).toEqual([[], 521])
    const left = () => authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })
    expect(await left()).toHaveLength(21)
    expect(await beat()).toMatchObject({ authorizations: [] })
    expect(await left()).toEqual([])
  })

  it('does not renew the lease if the response fails, so a gateway without its authorizations is not online', async () => {
    const presence = () => getItem(presenceKey(world.account.id, 'gateways', gateway.id))
    const before = await presence()
    const readsAuthorizations = (command: object) =>
      command instanceof QueryCommand && JSON.stringify(command.input).includes(`#authorizations#${gateway.id}`)
    failTable('ServiceUnavailable', readsAuthorizations)
    expect((await heartbeat(gateway.token, gateway.session.id)).status).toBe(503)
    vi.restoreAllMocks()
    expect(await presence()).toEqual(before)
    expect((await heartbeat(gateway.token, gateway.session.id)).status).toBe(200)
  })

  it('returns 404 for an unknown or ended session', async () => {
    expect((await heartbeat(gateway.token, randomUUID())).status).toBe(404)
    const other = await world.addGateway()
    expect((await heartbeat(other.token, gateway.session.id)).status).toBe(404)
    const now = clock.now()
    const later = vi.spyOn(clock, 'now').mockReturnValue(now + 91_000_000)
    const { status } = await heartbeat(gateway.token, gateway.session.id)
    later.mockRestore()
    expect(status).toBe(404)
  })
})

const granted = (fields: { id: string; resource_id?: string; expires_at: string }) => ({
  account_id: world.account.id,
  policy_id: world.policy.id,
  client_id: client.client.id,
  actor_id: world.actor.id,
  gateway_id: gateway.id,
  resource_id: world.resource.id,
  client_token_id: world.token.id,
  membership: null,
  client_public_key: clientKey,
  client_remote_ip: '192.0.2.10',
  gateway_remote_ip: null,
  user_agent: null,
  flow_log_uploads_enabled: true,
  authorized_at: timestamp(clock.now()),
  state_at: '2026-01-01T00:00:00.000000Z',
  ...fields,
})

async function expire(id: string): Promise<void> {
  const { main } = authorizationItems(granted({ id, expires_at: timestamp(clock.now() - 1) }))
  await writeTogether([put(main)])
}

async function grantMany(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  for (let at = 0; at < count; at += 20) {
    const batch = ids.slice(at, at + 20).flatMap((id) => {
      const { main, indexes } = authorizationItems(granted({ id, expires_at: '2099-01-01T00:00:00.000000Z' }))
      return [main, ...indexes].map(put)
    })
    await writeTogether(batch)
  }
  return ids
}
