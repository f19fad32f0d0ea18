import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { raceGrants, takings } from '#test/support/grant-races.ts'
import { seedOf } from '#test/support/seeds.ts'

beforeEach(() => vi.stubEnv('HEARTBEAT_SECS', '3600'))
afterEach(() => vi.unstubAllEnvs())

it.each(Object.keys(takings))('no grant outlives %s that comes at the same time', async (taking) => {
  const { faults, pending } = await raceGrants(taking, seedOf('SIMULATION_SEED'))
  expect(faults).toEqual([])
  expect(pending).toBe(0)
})
