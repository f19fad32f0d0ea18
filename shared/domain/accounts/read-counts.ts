import { headKey } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

/** The row counters of an account, by collection and by the names that entities declare as `counters`. */
export const readCounts = async (account: string): Promise<Record<string, number>> =>
  ((await getItem(headKey(account)))?.counts ?? {}) as Record<string, number>
