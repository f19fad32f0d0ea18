import type { Source, SourceRecord } from './source.ts'

/** Of a page, because a record can have two images of 400 KB. */
const mostRecords = 200
const keptPages = 2

/**
 * A source that several mappings read: each page is asked for and parsed once, for whoever comes to its position. Who
 * falls behind by more than some pages asks again. At the end of a shard there is nothing to keep.
 */
export function sharedReads(source: Source): Source {
  const pages = new Map<string, Promise<SourceRecord[]>>()
  return {
    ...source,
    read(shard, after) {
      const position = `${shard} ${after ?? ''}`
      const known = pages.get(position)
      if (known !== undefined) return known
      const page = source.read(shard, after, mostRecords)
      pages.set(position, page)
      const forget = () => {
        if (pages.get(position) === page) pages.delete(position)
      }
      page.then((records) => {
        if (records.length === 0) forget()
      }, forget)
      const [oldest] = pages.keys()
      if (pages.size > keptPages && oldest !== undefined) pages.delete(oldest)
      return page
    },
  }
}
