import { hash } from 'node:crypto'
import { archiveStore } from '../core/aws/object-store.ts'
import type { LogStream } from '../logs/entries/log-id.ts'
import type { FileRow } from '../logs/files/columns.ts'
import { logFilePath } from '../logs/files/file-index.ts'
import { openParquet } from '../logs/files/parquet-reader.ts'
import { encodeFile } from '../logs/files/parquet-writer.ts'
import { canonicalJson } from '../seal/log/canonical-json.ts'
import { fileTree, rowLeaf } from '../seal/log/row-leaf.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import type { ManifestFile } from './manifest.ts'
import { putNew } from './put-new.ts'

/** Row of a file with its leaf hash. */
export type ArchivedRow = { row: FileRow; leaf: Buffer }

type Place = { account: string; stream: LogStream; hour: number; part: number }

const base64 = (hash: Buffer): string => hash.toString('base64')

function rootsOf(leaves: Buffer[]): { root: string; groups: string[] } {
  const { root, groups } = fileTree(leaves)
  return { root: base64(root), groups: groups.map(base64) }
}

/**
 * Puts a file of rows in the order of their log ids. Adopts a file of an interrupted run that has the same rows.
 * @throws ArchiveMismatch for a file with other rows
 */
export async function putFile(place: Place, rows: ArchivedRow[]): Promise<ManifestFile> {
  const { stream } = place
  const key = logFilePath(place)
  const tree = rootsOf(rows.map(({ leaf }) => leaf))
  const written = encodeFile(
    stream,
    rows.map(({ row }) => row),
  )
  const content = await putNew(key, written)
  if (!content.equals(written) && (await rootOfRows(stream, content)) !== tree.root) throw new ArchiveMismatch(key)
  const idOf = (row: ArchivedRow | undefined) => String(row?.row.log_id)
  return {
    stream,
    key,
    rows: rows.length,
    bytes: content.length,
    sha256: hash('sha256', content),
    ...tree,
    first: idOf(rows[0]),
    last: idOf(rows.at(-1)),
  }
}

/** Yields the row groups of a file with the given content, or some of their columns. @throws Error for a damaged file */
async function* groupsIn(content: Buffer, columns?: string[]): AsyncGenerator<FileRow[]> {
  const read = async (start: number, end: number) => content.subarray(start, end)
  const file = await openParquet({ size: content.length, read })
  for (const group of file.groups.keys()) yield await file.readGroup(group, columns)
}

/** Returns the Merkle root over the rows of a file; null for a damaged file. */
async function rootOfRows(stream: LogStream, content: Buffer): Promise<string | null> {
  const leaves: Buffer[] = []
  try {
    for await (const rows of groupsIn(content)) for (const row of rows) leaves.push(rowLeaf(stream, row))
  } catch {
    return null
  }
  return rootsOf(leaves).root
}

/** Reads the content of a file of a manifest. @throws ArchiveMismatch if the file is missing or has other bytes */
async function readContent({ key, sha256 }: ManifestFile): Promise<Buffer> {
  const stored = await archiveStore().get(key)
  if (!stored || hash('sha256', stored.content) !== sha256) throw new ArchiveMismatch(key)
  return stored.content
}

/** Reads some columns of all rows of a file. @throws ArchiveMismatch if the file is missing or has other bytes */
export async function readColumns(file: ManifestFile, columns: string[]): Promise<FileRow[]> {
  const all: FileRow[] = []
  for await (const rows of groupsIn(await readContent(file), columns)) for (const row of rows) all.push(row)
  return all
}

/** Compares a file with its manifest: the bytes, the order and the number of rows, and their Merkle roots. @throws ArchiveMismatch */
export async function verifyFile(file: ManifestFile): Promise<void> {
  const leaves: Buffer[] = []
  let [first, last] = ['', '']
  for await (const rows of groupsIn(await readContent(file))) {
    for (const row of rows) {
      const id = String(row.log_id)
      if (id <= last) throw new ArchiveMismatch(file.key)
      if (first === '') first = id
      last = id
      leaves.push(rowLeaf(file.stream, row))
    }
  }
  const { root, groups } = rootsOf(leaves)
  const found = canonicalJson({ rows: leaves.length, root, groups, first, last })
  const { rows, root: listedRoot, groups: listedGroups, first: listedFirst, last: listedLast } = file
  const listed = { rows, root: listedRoot, groups: listedGroups, first: listedFirst, last: listedLast }
  if (found !== canonicalJson(listed)) throw new ArchiveMismatch(file.key)
}
