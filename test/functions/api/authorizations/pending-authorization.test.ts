import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Authorization,
  type AuthorizationItem,
  authorizationItems,
  pendingItem,
} from '#shared/access/authorization.ts'
import { authorizationsOf, type Revocation, revoke } from '#shared/commit/revoke.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { attributionKey } from '#shared/logs/flows/attribution.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { heartbeat } from '#test/support/access/gateways.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { ItemsInFlight } from '#test/support/table/items-in-flight.ts'
import { plantClients } from '#test/support/table/plant-clients.ts'
import { plantItems } from '#test/support/table/plant-rows.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

const second = 1_000_000
const now = clock.now.bind(clock)

let world: AccessWorld
let gateway: Awaited<ReturnType<AccessWorld['addGateway']>>
let client: { id: string; public_key: string }
beforeEach(async () => {
  world = await newAccessWorld()
  gateway = await world.addGateway()
  client = (await world.startSession()).body.data.client
})
afterEach(() => vi.restoreAllMocks())

const ask = () => world.ask({ resource_id: world.resource.id })
const listDelivered = async () => (await heartbeat(gateway.token, gateway.session.id)).body.data.authorizations
const stored = async () =>
  (await authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })) as unknown as AuthorizationItem[]

const authorizationAt = (at: number): Authorization => ({
  id: crypto.randomUUID(),
  account_id: world.account.id,
  policy_id: world.policy.id,
  client_id: client.id,
  actor_id: world.actor.id,
  gateway_id: gateway.id,
  resource_id: world.resource.id,
  client_token_id: world.token.id,
  membership: `${world.group.id}#${world.actor.id}`,
  client_public_key: client.public_key,
  client_remote_ip: '192.0.2.10',
  gateway_remote_ip: null,
  user_agent: null,
  flow_log_uploads_enabled: true,
  authorized_at: timestamp(at),
  expires_at: '2099-01-01T00:00:00.000000Z',
  state_at: timestamp(at),
})

/** Writes the items of a request whose process died before it confirmed the authorization. */
async function leavePending(secondsAgo: number) {
  const { main, grant, indexes } = authorizationItems(authorizationAt(clock.now() - secondsAgo * second))
  await plantItems([pendingItem(main), grant, ...indexes])
  return { main, pointers: [grant, ...indexes] }
}

describe('a grant', () => {
  it('costs at most 16 write units for a client that was never authorized before', async () => {
    const planted = await plantClients(world, 3)
    for (const one of planted) await one.start()
    const units: number[] = []
    for (const one of planted) {
      const { writes } = await measure(async () => expect((await one.ask()).status).toBe(201))
      units.push(writes)
    }
    expect(Math.min(...units)).toBeLessThanOrEqual(16)
    // Expects at least the writes of the pending and the confirmed item, their index items and the attribution. Fewer units would mean that
    // nothing was granted.
    expect(Math.min(...units)).toBeGreaterThan(6)
  })

  it('grants nothing unconfirmed if its process dies at any write, and succeeds on a retry', async () => {
    for (const isResponseLost of [false, true]) {
      for (let writes = 0, died = true; died; writes++) {
        const [one] = await plantClients(world, 1)
        await one?.start()
        crashAfter(writes, { isResponseLost })
        const answer = await one?.ask()
        died = answer?.status !== 201
        vi.restoreAllMocks()
        const mine = async () => (await stored()).filter(({ client_id }) => client_id === one?.id)
        // Skips the check after a lost response, because the confirmation may have been written.
        const deliveredGrants = (await listDelivered()).filter(
          (shown: { client: { id: string } }) => shown.client.id === one?.id,
        )
        if (!isResponseLost) expect(deliveredGrants).toHaveLength(died ? 0 : 1)
        vi.spyOn(clock, 'now').mockImplementation(() => now() + 6 * second)
        expect([200, 201]).toContain((await one?.ask())?.status)
        expect(await mine()).toHaveLength(1)
        vi.restoreAllMocks()
      }
    }
  })
})

describe('a pending authorization', () => {
  it('is delivered to no gateway, and does not affect the choice of one', async () => {
    await leavePending(1)
    expect(await listDelivered()).toEqual([])
    expect(await stored()).toHaveLength(1)
  })

  it('is found by every kind of revocation', async () => {
    const revocations: Revocation[] = [
      { by: 'policy', id: world.policy.id },
      { by: 'resource', id: world.resource.id },
      { by: 'membership', id: world.group.id, actors: [world.actor.id] },
      { by: 'client', id: client.id },
      { by: 'client_token', id: world.token.id },
      { by: 'gateway', id: gateway.id },
    ]
    for (const revocation of revocations) {
      const { pointers } = await leavePending(1)
      await revoke(world.account.id, revocation)
      expect(await stored(), revocation.by).toEqual([])
      for (const { pk, sk } of pointers) expect(await getItem({ pk, sk }), revocation.by).toBeUndefined()
    }
  })

  it('of a dead request blocks its client for seconds, not longer', async () => {
    await leavePending(0)
    const flight = new ItemsInFlight(1)
    try {
      const [answer] = await flight.run([ask])
      expect(answer?.result.status).toBe(201)
      expect(answer?.ms).toBeGreaterThan(3_000)
      expect(answer?.ms).toBeLessThan(10_000)
    } finally {
      flight.end()
    }
    expect(await listDelivered()).toHaveLength(1)
  })

  it('is awaited by concurrent requests, which return the same authorization', async () => {
    const flight = new ItemsInFlight(2)
    try {
      const answers = await flight.run([ask, ask, ask])
      expect(answers.map(({ result }) => result.status).sort()).toEqual([200, 200, 201])
      expect(new Set(answers.map(({ result }) => result.body.data.id)).size).toBe(1)
    } finally {
      flight.end()
    }
  })

  it("is deleted with its index items by a heartbeat of its gateway, or by the table's TTL", async () => {
    const { main, pointers } = await leavePending(120)
    const [item] = await stored()
    expect(Number(item?.ttl) * second).toBeLessThan(clock.now() + 600 * second)
    expect(await listDelivered()).toEqual([])
    expect(await stored()).toEqual([])
    for (const { pk, sk } of [main, ...pointers]) expect(await getItem({ pk, sk })).toBeUndefined()
  })

  it('leaves no items when it is withdrawn', async () => {
    const [one] = await plantClients(world, 1)
    await one?.start()
    const attributions = await queryItems(attributionKey(world.account.id, '').pk)
    // Revokes the authorization while it is pending. The request then creates a new authorization, which is not revoked.
    const flight = new ItemsInFlight(3)
    try {
      let revoked = 0
      const revoking = async () => {
        while (revoked === 0) {
          const items = await authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })
          if (items.length > 0) {
            await revoke(world.account.id, { by: 'policy', id: world.policy.id })
            revoked++
          }
        }
      }
      const [answer] = await flight.run<unknown>([() => one?.ask() ?? Promise.reject(), revoking])
      expect(answer?.result).toMatchObject({ status: 201 })
    } finally {
      flight.end()
    }
    expect((await queryItems(attributionKey(world.account.id, '').pk)).length - attributions.length).toBe(1)
  })
})
