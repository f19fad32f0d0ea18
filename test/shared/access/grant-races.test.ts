import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { raceGrants, revocations } from '#test/support/access/grant-races.ts'
import { seedOf } from '#test/support/run/seeds.ts'

beforeEach(() => vi.stubEnv('HEARTBEAT_SECS', '3600'))
afterEach(() => vi.unstubAllEnvs())

const seed = seedOf('SIMULATION_SEED')
/** Random sample of the revocations. The long test covers all of them. */
const drawn = new SeededRandom(seed).sample(Object.keys(revocations), 4)

it.each(drawn)('no grant outlives a concurrent revocation: %s', async (taking) => {
  const { faults, pending } = await raceGrants(taking, seed)
  expect(faults).toEqual([])
  expect(pending).toBe(0)
})
