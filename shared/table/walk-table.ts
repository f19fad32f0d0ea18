import { waiting } from '../core/work/waiting.ts'
import { table, tableName } from './client.ts'
import { ScanCommand } from './commands.ts'
import type { Key } from './keys.ts'
import type { StoredItem } from './read.ts'

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
 * The whole table, whoever's items they are, page by page with a pause between them, as far as time allows. A page may have no
 * items: what a filter leaves out is walked all the same. Who keeps `next` of each page that is done goes on behind it, wherever
 * the walk has stopped; large attributes are still packed.
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
    await waiting.sleep(pauseMs)
    if (!hasTime()) return
  }
}
