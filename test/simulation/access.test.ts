import { randomInt } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { simulate } from './simulate.ts'

const usualSteps = 1_000
const steps = Number(process.env.SIMULATION_STEPS ?? usualSteps)
const seeds = process.env.SIMULATION_SEED ? [Number(process.env.SIMULATION_SEED)] : [1, randomInt(2, 1_000_000)]

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
]

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('who may reach what, under random administration and jumps of time', () => {
  it.each(seeds)(
    'is what the contract says, with seed %i',
    async (seed) => {
      const tally = await simulate(seed, steps)
      // It would prove nothing if nothing happened.
      if (steps >= usualSteps) for (const outcome of outcomes) expect(tally.get(outcome), outcome).toBeGreaterThan(0)
    },
    3_600_000,
  )
})
