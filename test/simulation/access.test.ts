import { expect, it } from 'vitest'
import { seedOf } from '#test/support/run/seeds.ts'
import { simulate } from './simulate.ts'

const usualSteps = 150
const steps = Number(process.env.SIMULATION_STEPS ?? usualSteps)

/** Checks and results that even a short simulation covers. Only the long simulation produces every result of each check. */
const questions = [
  'decision 201',
  'evaluation allow',
  'list',
  'heartbeat',
  'heartbeat, complete',
  'ended token',
  'connection',
  'nudge of gateways',
  'connection of a client',
  'nudge of clients',
  'dead grant',
]

it('grants exactly the access of the contract during random administration and time jumps', async () => {
  const tally = await simulate(seedOf('SIMULATION_SEED'), steps)
  const expected = steps < usualSteps ? ['heartbeat, complete'] : questions
  for (const key of expected) expect(tally.get(key) ?? 0, key).toBeGreaterThan(0)
}, 3_600_000)
