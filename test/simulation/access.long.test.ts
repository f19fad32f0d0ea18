import { expect, it } from 'vitest'
import { seedOf } from '#test/support/run/seeds.ts'
import { simulate } from './simulate.ts'

const usualSteps = 500
const steps = Number(process.env.SIMULATION_STEPS ?? usualSteps)

const outcomes = [
  'decision 200',
  'decision 201',
  'decision not_found',
  'decision conditions_violated',
  'decision gateway_offline',
  'evaluation allow',
  'evaluation conditions_violated',
  'heartbeat',
  'added',
  'removed',
  'list',
  'ended token',
  'connection',
  'connection replaced',
  'nudge of gateways',
  'connection of a client',
  'nudge of clients',
  'dead grant',
  'keepalive',
  'notified of an end',
  'notified of a change',
]

it.each([...new Set([1, seedOf('SIMULATION_SEED')])])(
  'grants exactly the access of the contract during a long random administration, with seed %i',
  async (seed) => {
    const tally = await simulate(seed, steps)
    // Fails if an expected outcome never occurred, so that a simulation that does nothing cannot pass.
    const expected = steps < usualSteps ? ['heartbeat, complete'] : outcomes
    for (const outcome of expected) expect(tally.get(outcome) ?? 0, outcome).toBeGreaterThan(0)
  },
  3_600_000,
)
