import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { reconnectClients } from '#test/support/access/reconnecting-clients.ts'
import { seedOf } from '#test/support/run/seeds.ts'

beforeEach(() => vi.stubEnv('HEARTBEAT_SECS', '3600'))
afterEach(() => vi.unstubAllEnvs())

/** Number of clients, limited to keep the test short. `npm run bench -- --clients 10000` measures more. */
const count = 200

it(`answers ${count} clients in time that reconnect at once, and then request one resource at once`, async () => {
  const { world, sessionStarts, authorizations } = await reconnectClients(count, seedOf('SIMULATION_SEED'))
  expect([...sessionStarts.statuses, ...authorizations.statuses]).toEqual([
    [201, count],
    [201, count],
  ])
  expect(sessionStarts.p99).toBeLessThan(3_000)
  expect(authorizations.p99).toBeLessThan(3_000)
  expect(await authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })).toHaveLength(count)
}, 600_000)
