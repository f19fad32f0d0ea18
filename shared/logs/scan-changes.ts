import { clock } from '../core/clock.ts'
import { weightOf } from '../table/large-attributes.ts'
import { getStoredItems } from '../table/read.ts'
import { logKey } from './entries/log-keys.ts'
import { type ChangeScan, type LogItem, type Part, type PartWalk, queryPart, settledMicros } from './part-reader.ts'
import { partsOfWalk } from './walk-logs.ts'

/** Limits of a page with filters of changes (K11.G7). The rest of the 400 read units authenticates the caller. */
export const changeLimits = { entries: 2_000, units: 390 }

/** Maximum read units of a response to a query (1 MB), and of an item (400 KB). Eventually consistent reads take half. */
const maxUnits = { query: 256, item: 100 }

/** Number of entries of a page's first query. Each query doubles it, because few entries match. */
const queryLength = { first: 100, last: 500 }

/** Approximate size in bytes of an item's keys and numbers. */
const keyBytes = 250

/** Maximum number of days that a page reads side by side. */
const maxWidth = 3

type AgedPart = Part & { isExact: boolean }

const priceOf = ({ isExact }: AgedPart): number => (isExact ? 1 : 0.5)

/** Returns the parts of a walk in order. Entries older than a minute are read with eventual consistency, at half the price. */
function agedParts(walk: PartWalk): AgedPart[] {
  const settled = clock.now() - settledMicros
  const parts = [
    ...partsOfWalk({ ...walk, end: Math.min(walk.end, settled) }, 'change').map((part) => ({ part, isExact: false })),
    ...partsOfWalk({ ...walk, begin: Math.max(walk.begin, settled + 1) }, 'change').map((part) => ({
      part,
      isExact: true,
    })),
  ].flatMap(({ part, isExact }) => part.map((one) => ({ ...one, isExact })))
  return walk.ascending ? parts : parts.reverse()
}

/**
 * Yields the change entries of a walk in order. Sends requests only if their largest possible responses are within the limits of the scan,
 * and otherwise ends and sets `scan.stop`. Reads days without many entries side by side.
 */
export async function* scanChanges(walk: PartWalk, scan: ChangeScan): AsyncGenerator<LogItem[]> {
  const { account, ascending = false, expected = 0 } = walk
  let length = Math.max(expected, queryLength.first)

  /** Reads a page of each part, or only of the first parts that the limits allow. */
  async function readPages(parts: AgedPart[], start?: Record<string, unknown>) {
    const price = Math.max(...parts.map(priceOf))
    const count = Math.min(parts.length, scan.entries, Math.floor(scan.units / (price * maxUnits.query)))
    const limit = Math.min(length, Math.floor(scan.entries / count))
    const pages = await Promise.all(
      parts.slice(0, count).map((part) => queryPart(part, { limit, start, ascending, isExact: part.isExact })),
    )
    for (const { items, units } of pages) {
      scan.units -= units
      scan.entries -= items.length
    }
    length = Math.min(2 * length, queryLength.last)
    return pages
  }

  const parts = agedParts(walk)
  for (let at = 0, width = 1; at < parts.length; ) {
    const group = parts.slice(at, at + width)
    const pages = await readPages(group)
    if (pages.length === 0) return
    for (const [i, first] of pages.entries()) {
      const part = group[i] as AgedPart
      for (let page: typeof first | undefined = first; ; [page] = await readPages([part], page.next)) {
        if (!page) return
        for (let done = 0; done < page.items.length; ) {
          const count = part.pointers ? Math.floor(scan.units / (priceOf(part) * maxUnits.item)) : page.items.length
          if (count < 1) return
          const batch = page.items.slice(done, done + count)
          done += batch.length
          scan.stop = batch.at(-1)?.sk ?? null
          yield part.pointers ? await readEntries(account, batch, { scan, part }) : batch
        }
        if (!page.next) break
      }
      // A page without entries resumes at the end of the part, so that it makes progress.
      if (scan.entries === changeLimits.entries) scan.stop = ascending ? part.range.last : part.range.first
    }
    at += pages.length
    width = pages.some(({ next }) => next) ? 1 : maxWidth
  }
  scan.stop = null
}

/** Reads the entries of pointers, without those that have expired. */
async function readEntries(
  account: string,
  pointers: LogItem[],
  { scan, part }: { scan: ChangeScan; part: AgedPart },
): Promise<LogItem[]> {
  const keys = pointers.map(({ sk }) => logKey(account, sk))
  const items = await getStoredItems<LogItem>(keys, { consistency: part.isExact ? 'exact' : 'recent' })
  for (const item of items) scan.units -= priceOf(part) * Math.ceil(((item ? weightOf(item) : 0) + keyBytes) / 4_096)
  return items.flatMap((item) => item ?? [])
}
