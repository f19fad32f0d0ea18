import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { meetingClients } from '#test/support/access/meeting-clients.ts'
import { seedOf } from '#test/support/run/seeds.ts'

beforeEach(() => vi.stubEnv('HEARTBEAT_SECS', '3600'))
afterEach(() => vi.unstubAllEnvs())

const count = 24

it('clients that come back and ask for one resource at once do not meet', async () => {
  const { world, started, asked } = await meetingClients(count, seedOf('SIMULATION_SEED'))
  expect([...started.statuses, ...asked.statuses]).toEqual([
    [201, count],
    [201, count],
  ])
  expect([started.conflicts, asked.conflicts]).toEqual([0, 0])
  expect(asked.p99).toBeLessThan(3_000)
  expect(await authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })).toHaveLength(count)
})
