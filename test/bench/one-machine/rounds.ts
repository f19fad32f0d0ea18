import { type Version, versionOrder } from '../measure/compare.ts'
import { median } from '../measure/median.ts'

export type Pair<T> = Record<Version, T>

/** Figures of one version, by line of the table. */
export type Lines = Record<string, number>

export const versions: Version[] = ['base', 'now']

export type Sizes = {
  /** Number of groups, policies, clients, log entries and members of a whole list. */
  listed: number
  /** Number of requests of each kind in a round. */
  requests: number
  /** Number of rounds. Short rounds make a passing load of the machine affect both versions. */
  rounds: number
  idleSeconds: number
}

export const mergeLines = (...all: Pair<Lines>[]): Pair<Lines> => ({
  base: Object.assign({}, ...all.map(({ base }) => base)),
  now: Object.assign({}, ...all.map(({ now }) => now)),
})

/** Runs `work` for both versions at once. */
export async function atOnce<T, R>(pair: Pair<T>, work: (value: T, version: Version) => Promise<R>): Promise<Pair<R>> {
  const [base, now] = await Promise.all([work(pair.base, 'base'), work(pair.now, 'now')])
  return { base, now }
}

/** Runs `work` for one version after the other, in several rounds. Returns the median of each line. */
export async function inRounds<T>(
  rounds: number,
  pair: Pair<T>,
  work: (value: T, version: Version) => Promise<Lines>,
): Promise<Pair<Lines>> {
  const found: Pair<Lines[]> = { base: [], now: [] }
  for (let round = 0; round < rounds; round++)
    for (const version of versionOrder(round)) found[version].push(await work(pair[version], version))
  const medians = (lines: Lines[]): Lines =>
    Object.fromEntries(Object.keys(lines[0] ?? {}).map((name) => [name, median(lines.map((each) => each[name] ?? 0))]))
  return { base: medians(found.base), now: medians(found.now) }
}
