import type { FileRow } from '#shared/logs/files/columns.ts'
import { openParquet, type ParquetFile } from '#shared/logs/files/parquet-reader.ts'

/** Opens a file in memory. `onRead` receives the range of each read. */
export const openBuffer = (file: Buffer, onRead = (_start: number, _end: number) => {}): Promise<ParquetFile> =>
  openParquet({
    size: file.length,
    async read(start, end) {
      onRead(start, end)
      return file.subarray(start, end)
    },
  })

export async function readRows(file: Buffer): Promise<FileRow[]> {
  const opened = await openBuffer(file)
  const groups = await Promise.all(opened.groups.map((_, index) => opened.readGroup(index)))
  return groups.flat()
}
