import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as startSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { commit } from '#shared/commit/commit.ts'
import type { ActorRow } from '#shared/domain/actors/actor.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import { poolMembers } from '#shared/domain/pool-members/pool-member.ts'
import { finishFollowUp } from '#shared/jobs/follow-up/finish-follow-up.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'
import { findLinkedIdentity } from '#shared/sign-in/identities/find-identity.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { itemRow, rowKey } from '#shared/table/entity.ts'
import { partition } from '#shared/table/keys.ts'
import { getItem, getRow, queryItems } from '#shared/table/read.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call } from '#test/support/accounts/account.ts'
import { insertRow, updateRow } from '#test/support/accounts/rows.ts'
import { runsApi } from '#test/support/sync/directories.ts'
import { newRewindWorld, type RewindWorld, rewindOwners } from '#test/support/sync/rewinds.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

/** Table that only this file uses, because `checkRows` reads every item. */
let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeAll(async () => {
  ownTable = await useOwnTable()
})
afterAll(() => ownTable.end())
beforeEach(() => {
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const expectSound = async ({ account }: RewindWorld) =>
  expect((await checkRows({ account_id: account.id })).findings).toEqual([])

describe('devices of restored people', () => {
  type Device = { status: number; id: string; token: string }

  async function connect({ account }: RewindWorld, actorId: string, svc_id: string): Promise<Device> {
    const { token } = await commit({ accountId: account.id, subject: null }, (transaction) =>
      mintClientToken(transaction, actorId, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id: null }),
    )
    return { ...(await again(token, svc_id)), token }
  }
  async function again(token: string, svc_id: string) {
    const session = { svc_id, public_key: publicKey(), version: '1.4.0', hostname: 'notebook' }
    const { status, body } = await call(startSession, { method: 'POST', token, body: { session } })
    return { status, id: body.data?.client?.id ?? body.data?.id ?? '' }
  }
  const clientOf = ({ account }: RewindWorld, id: string) => getRow(clients, account.id, id)

  async function newDeviceWorld() {
    const world = await newRewindWorld()
    const { account } = world
    const actor = (await world.state()).actors.find(({ email }) => email === 'u1@example.com')
    const device = await connect(world, actor?.id ?? '', 'notebook-1')
    const [row] = (await queryItems(partition(account.id, clients.name))).map((item) => itemRow(clients, item))
    const verified = await updateRow(account.id, clients, row as ClientRow, {
      verified_at: '2026-01-02T03:04:05.000000Z',
    })
    const pool = await world.addResource('Pool', 'static_device_pool')
    const member = await insertRow(account.id, poolMembers, { resource_id: pool.id, device_id: verified.id })
    const memberKey = rowKey(poolMembers, account.id, member)
    return { ...world, actor: actor as ActorRow, device, client: verified, pool, memberKey }
  }

  it('are restored as verified and in their pools, so a new sign-in needs no administrator', async () => {
    const world = await newDeviceWorld()
    const { account, client, memberKey } = world
    const member = await getItem(memberKey)
    const run = await world.lose()
    expect([await clientOf(world, client.id), await getItem(memberKey)]).toEqual([null, undefined])
    const rewind = await world.rewind(run.id)
    expect(rewind).toMatchObject({ outcome: 'applied', skipped: {}, sections: { clients: 1, pool_members: 1 } })
    expect(await clientOf(world, client.id)).toEqual(client)
    expect(await getItem(memberKey)).toEqual({ ...member, commit: expect.any(Number) })
    const changes = (await runsApi.idp.changes(account, world.id, rewind.id)).body.data
    expect(changes).toContainEqual(
      expect.objectContaining({ change: 'insert', object: 'clients', name: client.name, before: null }),
    )
    expect(changes).toContainEqual(
      expect.objectContaining({ object: 'static_device_pool_members', name: `Pool / ${client.name}` }),
    )
    const known = { idpId: 'u1', issuer: 'https://login.example.com' }
    expect(await findLinkedIdentity(account.id, known)).toMatchObject({ actor_id: world.actor.id })
    // Expects that tokens are not restored, so the person must sign in again.
    expect(await again(world.device.token, 'notebook-1')).toMatchObject({ status: 401 })
    expect(await connect(world, world.actor.id, 'notebook-1')).toMatchObject({ status: 201 })
    expect(await queryItems(partition(account.id, clients.name))).toHaveLength(1)
    expect(await clientOf(world, client.id)).toMatchObject({ verified_at: client.verified_at, ipv4: client.ipv4 })
    await expectSound(world)
  })

  it('are not restored if registered again, if their address is in use, or if their pool is gone', async () => {
    const world = await newDeviceWorld()
    const { account, client, pool } = world
    const second = await connect(world, world.actor.id, 'notebook-2')
    expect(second.status).toBe(201)
    const other = (await queryItems(partition(account.id, clients.name)))
      .map((item) => itemRow(clients, item))
      .find(({ svc_id }) => svc_id === 'notebook-2') as ClientRow
    const run = await world.lose()
    await account.call(deleteResource, { method: 'DELETE', params: { id: pool.id } })
    await rewindOwners(world, run.id)
    await connect(world, world.actor.id, 'notebook-1')
    await insertRow(account.id, clients, { ...other, id: crypto.randomUUID(), svc_id: 'another' })
    await world.step()
    expect(await world.last()).toMatchObject({
      outcome: 'applied',
      skipped: { installation_taken: 1, tunnel_address_taken: 1, client_gone: 1 },
    })
    expect(await clientOf(world, client.id)).toBe(null)
    expect((await world.last()).skipped_sample).toContainEqual({
      idp_id: client.id,
      name: client.name,
      reason: 'installation_taken',
    })
    await expectSound(world)
  })

  it('are restored without a pool that no longer exists', async () => {
    const world = await newDeviceWorld()
    const run = await world.lose()
    await world.account.call(deleteResource, { method: 'DELETE', params: { id: world.pool.id } })
    expect(await world.rewind(run.id)).toMatchObject({ outcome: 'applied', skipped: { resource_gone: 1 } })
    expect(await clientOf(world, world.client.id)).toEqual(world.client)
    await expectSound(world)
  })

  it('keep their pools when the follow-up of their deletion is redelivered', async () => {
    const world = await newDeviceWorld()
    const run = await world.lose()
    await world.rewind(run.id)
    const author = { accountId: world.account.id, subject: null }
    await finishFollowUp(author, { below: 'clients', id: world.client.id }, 1_000)
    expect(await getItem(world.memberKey)).toBeDefined()
  })
})
