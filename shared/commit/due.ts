import type { Item } from '../table/keys.ts'

export type Due = { account_id: string; collection: string; id: string }

/** Shards of due items. A DynamoDB partition accepts 1,000 writes per second, and every new token writes a due item. */
export const dueShards = ['0', '1', '2', '3']

export const duePartition = (shard: string): string => `service#due#${shard}`

/**
 * Builds the index item by which the schedule finds a row that expires at `at` (a timestamp). The item remains if the row is deleted
 * earlier.
 */
export const dueItem = (due: Due, at: string): Item => ({
  pk: duePartition(String(Number.parseInt(due.id.slice(-1), 16) % dueShards.length)),
  sk: `${at}#${due.account_id}#${due.collection}#${due.id}`,
  kind: 'due',
  ...due,
})

/** True once the time of a due item is reached. `nowText` is a timestamp. */
export const isDue = ({ sk }: { sk: string }, nowText: string): boolean => sk.slice(0, nowText.length) <= nowText
