import { randomInt } from 'node:crypto'

const variables = ['PROPERTY_SEED', 'FUZZ_SEED', 'SIMULATION_SEED'] as const

/**
 * Reads the seeds for random tests from environment variables. Missing seeds are fixed in CI and random elsewhere. Prints the seeds, so
 * that a run can be repeated.
 */
export default function chooseSeeds(): void {
  if (process.env.SEEDS_CHOSEN) return
  process.env.SEEDS_CHOSEN = 'yes'
  for (const name of variables) process.env[name] ||= process.env.CI ? '1' : String(randomInt(1, 2 ** 31))
  process.stdout.write(`${variables.map((name) => `${name}=${process.env[name]}`).join(' ')}\n`)
}

export const seedOf = (name: (typeof variables)[number]): number => Number(process.env[name])
