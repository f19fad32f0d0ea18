import type { Key } from '../table/keys.ts'
import { getItems } from '../table/read.ts'
import { parseLogId } from './log-id.ts'
import { flowKey, logKeys } from './log-keys.ts'
import type { LogItem } from './part-reader.ts'

const target = (account: string, { sk, actor }: LogItem): Key =>
  parseLogId(sk)?.stream === 'flow' ? flowKey(account, String(actor), sk) : (logKeys(account, sk)[0] as Key)

/** The entries in their order, each once: what pointers point to is read a batch at a time. */
export async function* followPointers(
  account: string,
  items: AsyncIterable<LogItem>,
  batchSize: number,
  isEnough: (pointer: LogItem) => boolean,
): AsyncGenerator<LogItem> {
  let batch: LogItem[] = []
  let last: string | undefined
  for await (const item of items) {
    // Several pointers can lead to a flow, and its start as well.
    if (item.sk === last) continue
    last = item.sk
    batch.push(item)
    if (batch.length < batchSize) continue
    yield* await followed(account, batch, isEnough)
    batch = []
  }
  yield* await followed(account, batch, isEnough)
}

async function followed(account: string, items: LogItem[], isEnough: (pointer: LogItem) => boolean) {
  const pointers = items.filter((item) => item.pointer && !isEnough(item))
  const found = await getItems(pointers.map((pointer) => target(account, pointer)))
  const entries = new Map(pointers.map(({ sk }, i) => [sk, found[i] as LogItem | undefined]))
  return items.flatMap((item) => (entries.has(item.sk) ? (entries.get(item.sk) ?? []) : item))
}
