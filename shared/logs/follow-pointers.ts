import type { Key } from '../table/keys.ts'
import { storedItems } from '../table/read.ts'
import { streamOf } from './log-id.ts'
import { flowKey, logKeys } from './log-keys.ts'
import type { LogItem } from './part-reader.ts'

/** The one key that a pointer leads to. */
const target = (account: string, { sk, actor }: LogItem): Key[] =>
  streamOf(sk) === 'flow' ? [flowKey(account, String(actor), sk)] : logKeys(account, sk)

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
    yield* followed(account, batch, isEnough)
    batch = []
  }
  yield* followed(account, batch, isEnough)
}

async function* followed(
  account: string,
  items: LogItem[],
  isEnough: (pointer: LogItem) => boolean,
): AsyncGenerator<LogItem> {
  const leadsOn = (item: LogItem) => item.pointer === true && !isEnough(item)
  const entries = storedItems<LogItem>(items.filter(leadsOn).flatMap((pointer) => target(account, pointer)))
  for (const item of items) {
    const entry = leadsOn(item) ? (await entries.next()).value : item
    if (entry) yield entry
  }
}
