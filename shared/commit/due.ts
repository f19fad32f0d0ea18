import type { Item } from '../table/keys.ts'

/** A row that ends by itself at an instant. */
export type Due = { account_id: string; collection: string; id: string }

/** One partition takes a thousand writes a second; these are written with every token. */
export const dueShards = ['0', '1', '2', '3']

export const duePartition = (shard: string): string => `service#due#${shard}`

/**
 * What says when a row has ended, so that the minute schedule finds it without looking at the others. It is stored with
 * the row and stays until then; if the row is gone before, it leads nowhere. `at` is a timestamp as rows hold them.
 */
export const dueItem = (due: Due, at: string): Item => ({
  pk: duePartition(String(Number.parseInt(due.id.slice(-1), 16) % dueShards.length)),
  sk: `${at}#${due.account_id}#${due.collection}#${due.id}`,
  kind: 'due',
  ...due,
})

/** Whether the instant of a due item has come; `nowText` is a timestamp. */
export const isDue = ({ sk }: { sk: string }, nowText: string): boolean => sk.slice(0, nowText.length) <= nowText
