import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../core/clock.ts'
import type { Key } from './keys.ts'
import type { StoredItem } from './read.ts'
import { table, tableName } from './table.ts'

/**
 * Pause between pages in milliseconds, which limits the load on a partition. A strongly consistent page of 1 MB takes 256 of its 3,000 read
 * units per second.
 */
const pauseMs = 60

type Scan = Omit<ConstructorParameters<typeof ScanCommand>[0], 'TableName' | 'ExclusiveStartKey'>

type Walk = Scan & {
  /** `next` key of the last page handled; null to start at the beginning. */
  from: Key | null
  /** Returns false to stop between two pages. At least one page is read, so that each call makes progress. */
  hasTime: () => boolean
}

/** A page of items. `next` is the key from which to resume; null at the end of the table. */
type Page<T> = { items: T[]; next: Key | null }

/**
 * Scans the whole table with a pause between pages, until the time ends. Large attributes stay compressed. A page can be empty if a filter
 * excludes all its items.
 */
export async function* walkTable<T extends Key = StoredItem>({
  from,
  hasTime,
  ...scan
}: Walk): AsyncGenerator<Page<T>, void> {
  for (let start = from; ; ) {
    const { Items = [], LastEvaluatedKey } = await table().send(
      new ScanCommand({ ...scan, TableName: tableName(), ExclusiveStartKey: start ?? undefined }),
    )
    start = (LastEvaluatedKey as Key | undefined) ?? null
    yield { items: Items as T[], next: start }
    if (start === null) return
    await clock.sleep(pauseMs)
    if (!hasTime()) return
  }
}
