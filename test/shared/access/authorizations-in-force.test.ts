import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { authorizationItems } from '#shared/access/authorization.ts'
import { authorizationsInForce } from '#shared/access/gateway-authorizations.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { plantItems } from '#test/support/table/plant-rows.ts'

it('skips expired authorizations, lists the oldest first, and stops at the requested number', async () => {
  const world = await newAccessWorld()
  const [gatewayId, key] = [randomUUID(), publicKey()]
  const { client } = (await world.startSession({ public_key: key })).body.data
  const now = clock.now()
  const items = Array.from({ length: 1_100 }, (_, i) => {
    const { main } = authorizationItems({
      id: uuidV7(clock.now()),
      account_id: world.account.id,
      policy_id: world.policy.id,
      client_id: client.id,
      actor_id: world.actor.id,
      gateway_id: gatewayId,
      resource_id: world.resource.id,
      client_token_id: world.token.id,
      membership: null,
      client_public_key: key,
      client_remote_ip: '192.0.2.10',
      gateway_remote_ip: null,
      user_agent: null,
      flow_log_uploads_enabled: true,
      authorized_at: timestamp(now),
      expires_at: timestamp(i < 600 ? now - 1 : now + 3_600_000_000),
      state_at: timestamp(now),
    })
    return main
  })
  await plantItems(items)
  const ids = items.slice(600).map(({ id }) => id)
  const idsOf = async (atMost?: number) =>
    (await authorizationsInForce(world.account.id, gatewayId, now, atMost)).map(({ content }) => content.id)
  expect(await idsOf()).toEqual(ids)
  const some = await idsOf(100)
  expect(some).toEqual(ids.slice(0, some.length))
  expect(some.length).toBeGreaterThan(100)
  expect(some.length).toBeLessThan(500)
})
