import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { raceGrants, takings } from '#test/support/access/grant-races.ts'
import { seedOf } from '#test/support/run/seeds.ts'

beforeEach(() => vi.stubEnv('HEARTBEAT_SECS', '3600'))
afterEach(() => vi.unstubAllEnvs())

const seed = seedOf('SIMULATION_SEED')
/** Others with each seed; the long form has all of them. */
const drawn = new SeededRandom(seed).sample(Object.keys(takings), 4)

it.each(drawn)('no grant outlives %s that comes at the same time', async (taking) => {
  const { faults, pending } = await raceGrants(taking, seed)
  expect(faults).toEqual([])
  expect(pending).toBe(0)
})
