import { accountVersionKey } from './keys.ts'
import { getItem } from './read.ts'

/**
 * Sequence number of the account's latest commit, with the account's clock and counters. Each commit replaces the item conditionally
 * (optimistic lock).
 */
export type AccountVersion = {
  sequence: number
  clock: number
  counts: Record<string, number>
  /** Number of change log entries so far (S1.2). */
  leaves: number
}

/** Reads the account version. The sequence is 0 before the first commit. */
export async function readAccountVersion(account: string): Promise<AccountVersion> {
  const {
    sequence = 0,
    clock = 0,
    counts = {},
    leaves = 0,
  } = (await getItem<Partial<AccountVersion>>(accountVersionKey(account))) ?? {}
  return { sequence, clock, counts, leaves }
}
