import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../core/clock.ts'
import type { Key } from './keys.ts'
import type { StoredItem } from './read.ts'
import { table, tableName } from './table.ts'

/** A page is at most 1 MB: 256 read units where it is consistent. A partition of the table gives 3,000 a second, and requests need theirs. */
const pauseMs = 60

type Scan = Omit<ConstructorParameters<typeof ScanCommand>[0], 'TableName' | 'ExclusiveStartKey'>

type Walk = Scan & {
  /** The `next` of the last page that is done; null to begin. */
  from: Key | null
  /** Asked between two pages. One is always walked, so that a walk comes on however little time it is given. */
  hasTime: () => boolean
}

/** `next` is where the walk goes on when this page is done; null at the end of the table. */
type Page<T> = { items: T[]; next: Key | null }

/**
 * Scans the whole table with a pause between pages, as far as time allows; large attributes are still packed. A page
 * may be empty where a filter leaves out all of it. `next` resumes behind a page.
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
