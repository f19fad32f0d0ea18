import { headKey } from './keys.ts'
import { getItem } from './read.ts'

/** The account's head item: the sequence that orders its commits, its clock, and the counters (design 6). */
export type Head = {
  sequence: number
  clock: number
  counts: Record<string, number>
  /** How many change entries there are of all commits so far (S1.2); unknown where the last commit was of a version that did not count. */
  leaves?: number
}

/** The head as it stands; that of an account before its first commit. */
export async function readHead(account: string): Promise<Head> {
  const head = (await getItem<Partial<Head>>(headKey(account))) ?? {}
  const { sequence = 0, clock = 0, counts = {}, leaves = sequence === 0 ? 0 : undefined } = head
  return { sequence, clock, counts, ...(leaves !== undefined && { leaves }) }
}
