import { BatchGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { handler as renew } from '#functions/api/client-sessions/renew-client-session.ts'
import { commit } from '#shared/commit/commit.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { clock } from '#shared/core/clock.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { dayOf, logPartition } from '#shared/logs/entries/log-keys.ts'
import { readEntry } from '#shared/logs/entries/log-store.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems, rowsBy } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call } from '#test/support/accounts/account.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { failTable } from '#test/support/table/table-faults.ts'

afterEach(() => vi.restoreAllMocks())

const readsResources = (command: object) =>
  command instanceof BatchGetCommand && JSON.stringify(command.input).includes('#resources"')

const commitsOf = (account: string) => queryItems(partition(account, 'commits'))

describe('starting a client session (P3.1)', () => {
  test('registers the installation once, and returns the reachable resources', async () => {
    const world = await newAccessWorld()
    const { status, body } = await world.startSession({ hostname: ' laptop ', os_name: '' })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.data).toMatchObject({
      client: {
        actor_id: world.actor.id,
        hostname: 'laptop',
        svc_id: 'laptop',
        online: true,
        verified_at: null,
        last_seen_version: '1.4.0',
      },
      resources: [{ id: world.resource.id }],
      heartbeat_secs: 30,
    })
    expect(body.data.client.name).toMatch(/^[a-z]+-[a-z]+$/)
    expect(body.data.client.ipv4).toMatch(/^100\./)

    const before = (await commitsOf(world.account.id)).length
    const again = await world.startSession({ hostname: 'laptop' })
    expect(again.body.data.client).toMatchObject({ id: body.data.client.id, name: body.data.client.name })
    expect(await commitsOf(world.account.id)).toHaveLength(before)
    const changed = await world.startSession({ hostname: null, device_serial: 'S1' })
    expect(changed.body.data.client).toMatchObject({ hostname: null, device_serial: 'S1' })
    const record = (await commitsOf(world.account.id)).at(-1)
    expect(record).toMatchObject({
      subject: { device_id: body.data.client.id },
      changes: [{ object: 'clients', operation: 'update' }],
    })
  })

  test('creates one client for concurrent starts of one installation', async () => {
    const world = await newAccessWorld()
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.startSession()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ body }) => body.data.client.id)).size).toBe(1)
    expect(await rowsBy(clients, world.account.id, 'actor_id', world.actor.id)).toHaveLength(1)
  })

  test('keeps the newest session, and logs each start', async () => {
    const world = await newAccessWorld()
    const first = await world.startSession()
    const second = await world.startSession()
    const beat = (id: string) => call(renew, { method: 'PUT', token: world.token.token, params: { id } })
    expect((await beat(first.body.data.id)).status).toBe(404)
    expect((await beat(second.body.data.id)).status).toBe(200)
    const entries = await queryItems(logPartition(world.account.id, 'session', dayOf(clock.now())))
    expect(entries).toHaveLength(2)
    expect(entries.map(readEntry)[0]).toMatchObject({
      context: 'client',
      subject: { device_id: first.body.data.client.id, token_id: world.token.id },
    })
  })

  test('ends the authorizations of a device with another key, and keeps them after a restart', async () => {
    const world = await newAccessWorld()
    await world.addGateway()
    const public_key = publicKey()
    await world.startSession({ public_key })
    const granted = await world.ask({ resource_id: world.resource.id })
    expect(granted.status, granted.text).toBe(201)
    await world.startSession({ public_key })
    expect(await world.ask({ resource_id: world.resource.id })).toMatchObject({
      status: 200,
      body: { data: { id: granted.body.data.id } },
    })
    await world.startSession()
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  })

  test('at another location ends nonconforming authorizations, even after an interrupted first attempt', async () => {
    const world = await newAccessWorld([{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }])
    await world.addGateway()
    const public_key = publicKey()
    const { client } = (await world.startSession({ public_key })).body.data
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
    const elsewhere = () => world.startSession({ public_key }, { token: world.token.token, sourceIp: '198.51.100.7' })
    const onlyDeletes = (command: object) =>
      command instanceof TransactWriteCommand && (command.input.TransactItems ?? []).every((write) => write.Delete)
    failTable('TimeoutError', onlyDeletes)
    expect((await elsewhere()).status).toBe(503)
    vi.restoreAllMocks()
    expect((await elsewhere()).body.data.resources).toEqual([])
    expect(await authorizationsOf(world.account.id, { by: 'client', id: client.id })).toEqual([])
  })

  test('keeps the previous session if the response fails', async () => {
    const world = await newAccessWorld()
    const { id } = (await world.startSession()).body.data
    const entries = () => queryItems(logPartition(world.account.id, 'session', dayOf(clock.now())))
    failTable('ServiceUnavailable', readsResources)
    expect((await world.startSession()).status).toBe(503)
    vi.restoreAllMocks()
    expect(await entries()).toHaveLength(1)
    expect((await call(renew, { method: 'PUT', token: world.token.token, params: { id } })).status).toBe(200)
  })

  test('is refused to people and administrators above the limit of users, and to no other actor', async () => {
    const world = await newAccessWorld([], { limits: { users_count: 1 } })
    const mint = (actorId: string) =>
      commit({ accountId: world.account.id, subject: null }, (transaction) =>
        mintClientToken(transaction, actorId, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id: null }),
      )
    const { token } = await mint(world.account.admin.id)
    expect((await world.startSession({ svc_id: 'a' }, { token })).status).toBe(201)
    const person = await insertActor(world.account.id, { type: 'account_user', email: 'grace@example.com' })
    for (const id of [world.account.admin.id, person.id]) {
      const refused = await world.startSession({ svc_id: 'b' }, { token: (await mint(id)).token })
      expect([refused.status, refused.body.code]).toEqual([403, 'limits_exceeded'])
    }
    expect((await world.startSession({ svc_id: 'c' })).status).toBe(201)
    await updateRow(world.account.id, actors, person, { is_disabled: true })
    expect((await world.startSession({ svc_id: 'b' }, { token })).status).toBe(201)
  })

  test('checks the account limit, then its fields', async () => {
    const world = await newAccessWorld([], { limits: { service_accounts_count: 1 } })
    const refused = await world.startSession({ svc_id: '', public_key: 'short', version: 'x'.repeat(65), hostname: 7 })
    expect(refused.body.errors).toEqual({
      svc_id: ["can't be blank"],
      public_key: [mustBe.key],
      version: ['should be at most 64 character(s)'],
      hostname: ['is invalid'],
    })
    await insertActor(world.account.id)
    expect((await world.startSession({ svc_id: '' })).body).toMatchObject({ status: 403, code: 'limits_exceeded' })
  })
})
