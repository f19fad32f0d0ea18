import { randomInt } from 'node:crypto'

const variables = ['PROPERTY_SEED', 'FUZZ_SEED', 'SIMULATION_SEED'] as const

/**
 * Chooses the seeds of all random tests: from variables, fixed in CI, otherwise random. Prints them, so that a run can
 * be repeated. Workers inherit the variables.
 */
export default function chooseSeeds(): void {
  if (process.env.SEEDS_CHOSEN) return
  process.env.SEEDS_CHOSEN = 'yes'
  for (const name of variables) process.env[name] ||= process.env.CI ? '1' : String(randomInt(1, 2 ** 31))
  process.stdout.write(`${variables.map((name) => `${name}=${process.env[name]}`).join(' ')}\n`)
}

/** Returns a seed of this run. */
export const seedOf = (name: (typeof variables)[number]): number => Number(process.env[name])
