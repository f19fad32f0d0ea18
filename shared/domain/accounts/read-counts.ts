import { headKey } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

/** How many rows an account has, by collection and by the further names under which they are counted. */
export const readCounts = async (account: string): Promise<Record<string, number>> =>
  ((await getItem(headKey(account)))?.counts ?? {}) as Record<string, number>
