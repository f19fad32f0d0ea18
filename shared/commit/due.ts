import type { Item } from '../table/keys.ts'

/** A row that ends by itself at an instant. */
export type Due = { account_id: string; collection: string; id: string }

/** Shards of due items: a partition takes a thousand writes a second, and every token writes one. */
export const dueShards = ['0', '1', '2', '3']

export const duePartition = (shard: string): string => `service#due#${shard}`

/** Index item by which the minute schedule finds a row that ends at `at` (a timestamp). Outlives a row deleted earlier. */
export const dueItem = (due: Due, at: string): Item => ({
  pk: duePartition(String(Number.parseInt(due.id.slice(-1), 16) % dueShards.length)),
  sk: `${at}#${due.account_id}#${due.collection}#${due.id}`,
  kind: 'due',
  ...due,
})

/** True once a due item's instant is reached; `nowText` is a timestamp. */
export const isDue = ({ sk }: { sk: string }, nowText: string): boolean => sk.slice(0, nowText.length) <= nowText
