import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { dayOf, logPartition } from '#shared/logs/entries/log-keys.ts'
import { pointerItems, readEntry } from '#shared/logs/entries/log-store.ts'
import type { Item, Key } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { readCommits } from './commit-stream.ts'

/** Reads and unpacks the stored entries of an account's change log, oldest first. */
export async function readChangeEntries(accountId: string): Promise<Item[]> {
  const days = new Set((await readCommits(accountId)).map(({ time }) => dayOf(time)))
  const all = await Promise.all([...days].map((day) => queryItems(logPartition(accountId, 'change', day))))
  return (all.flat() as unknown as Item[]).sort((a, b) => (a.sk < b.sk ? -1 : 1))
}

export const pointersTo = (accountId: string, entries: Item[]): Item[] =>
  entries.flatMap((item) => pointerItems(accountId, 'change', { id: item.sk, ttl: Number(item.ttl) }, readEntry(item)))

/** Changes fields of the content of a stored entry. */
export const alterEntry = (item: Item, fields: object): Item => ({
  ...item,
  entry: JSON.stringify({ ...readEntry(item), ...fields }),
})

export const removeItem = ({ pk, sk }: Key) =>
  table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))

export async function removePointers(accountId: string): Promise<Item[]> {
  const pointers = pointersTo(accountId, await readChangeEntries(accountId))
  for (const pointer of pointers) await removeItem(pointer)
  return pointers
}
