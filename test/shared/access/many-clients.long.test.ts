import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { meetingClients } from '#test/support/access/meeting-clients.ts'
import { seedOf } from '#test/support/run/seeds.ts'

beforeEach(() => vi.stubEnv('HEARTBEAT_SECS', '3600'))
afterEach(() => vi.unstubAllEnvs())

/** More take minutes: `npm run bench -- --clients 10000`. */
const count = 1_000

it(`${count} clients that come back at once, and then ask for one resource at once, are all answered in time`, async () => {
  const { world, started, asked } = await meetingClients(count, seedOf('SIMULATION_SEED'))
  expect([...started.statuses, ...asked.statuses]).toEqual([
    [201, count],
    [201, count],
  ])
  expect(started.p99).toBeLessThan(3_000)
  expect(asked.p99).toBeLessThan(3_000)
  expect(await authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })).toHaveLength(count)
}, 600_000)
