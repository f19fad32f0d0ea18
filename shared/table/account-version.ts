import { accountVersionKey } from './keys.ts'
import { getItem } from './read.ts'

/** The account's account version: the sequence that orders its commits, its clock, and the counters (design 6). */
export type AccountVersion = {
  sequence: number
  clock: number
  counts: Record<string, number>
  /** Number of change entries of all commits so far (S1.2). */
  leaves: number
}

/** The head as it stands; that of an account before its first commit. */
export async function readAccountVersion(account: string): Promise<AccountVersion> {
  const {
    sequence = 0,
    clock = 0,
    counts = {},
    leaves = 0,
  } = (await getItem<Partial<AccountVersion>>(accountVersionKey(account))) ?? {}
  return { sequence, clock, counts, leaves }
}
