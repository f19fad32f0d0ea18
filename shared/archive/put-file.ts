import { hash } from 'node:crypto'
import { archiveStore } from '../core/aws/object-store.ts'
import { type Erasures, storeErasedFile } from '../logs/blocks/erasures.ts'
import type { LogStream } from '../logs/entries/log-id.ts'
import type { FileRow } from '../logs/files/columns.ts'
import { logFilePath } from '../logs/files/file-index.ts'
import { openParquet } from '../logs/files/parquet-reader.ts'
import { encodeFile } from '../logs/files/parquet-writer.ts'
import { canonicalJson } from '../seal/log/canonical-json.ts'
import { fileTree, rowLeaf } from '../seal/log/row-leaf.ts'
import { ArchiveMismatch, UnlistedErasure } from './archive-mismatch.ts'
import { countErased, eraseRow, erasureOf } from './erase-rows.ts'
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
 * Puts a file of rows in the order of their log ids, in which rows of erased actors are erased (R12.4). Adopts a file of an interrupted run
 * that has the same rows. Stores the state of a file with erased rows, so that the manifest lists it.
 * @throws ArchiveMismatch for a file with other rows
 */
export async function putFile(place: Place, rows: ArchivedRow[], erasures: Erasures): Promise<ManifestFile> {
  const { account, stream } = place
  const key = logFilePath(place)
  let stored = rows.map(({ row, leaf }) => {
    const erasure = erasureOf(row, erasures)
    return erasure ? eraseRow(row, leaf, erasure) : row
  })
  const tree = rootsOf(rows.map(({ leaf }) => leaf))
  const written = encodeFile(stream, stored)
  const content = await putNew(key, written)
  if (!content.equals(written)) {
    if ((await rootOfRows(stream, content)) !== tree.root) throw new ArchiveMismatch(key)
    stored = (await Array.fromAsync(groupsIn(content, ['erased_at']))).flat()
  }
  const sha256 = hash('sha256', content)
  // Keeps the state that an earlier run or an erasure has stored.
  await storeErasedFile(account, { key, sha256, rows: countErased(stored) })
  const idOf = (row: ArchivedRow | undefined) => String(row?.row.log_id)
  return {
    stream,
    key,
    rows: rows.length,
    bytes: content.length,
    sha256,
    ...tree,
    first: idOf(rows[0]),
    last: idOf(rows.at(-1)),
  }
}

/** Yields the row groups of a file with the given content, or some of their columns. @throws Error for a damaged file */
export async function* groupsIn(content: Buffer, columns?: string[]): AsyncGenerator<FileRow[]> {
  const read = async (start: number, end: number) => content.subarray(start, end)
  const file = await openParquet({ size: content.length, read })
  for (const group of file.groups.keys()) yield await file.readGroup(group, columns)
}

type FileTree = { ids: string[]; leaves: Buffer[]; erased: number; root: string; groups: string[] }

/** Reads the ids and the leaves of all rows of a file, their Merkle tree and the number of erased rows. @throws Error for a damaged file */
async function readTree(stream: LogStream, content: Buffer): Promise<FileTree> {
  const [ids, leaves]: [string[], Buffer[]] = [[], []]
  let erased = 0
  for await (const rows of groupsIn(content))
    for (const row of rows) {
      ids.push(String(row.log_id))
      leaves.push(rowLeaf(stream, row))
      if (row.erased_leaf !== null) erased++
    }
  return { ids, leaves, erased, ...rootsOf(leaves) }
}

/** Returns the Merkle root over the rows of a file; null for a damaged file. */
export const rootOfRows = (stream: LogStream, content: Buffer): Promise<string | null> =>
  readTree(stream, content).then(
    ({ root }) => root,
    () => null,
  )

/** @throws ArchiveMismatch if the file is missing */
async function readContent(key: string): Promise<Buffer> {
  const stored = await archiveStore().get(key)
  if (!stored) throw new ArchiveMismatch(key)
  return stored.content
}

/**
 * Reads the ids and the leaves of all rows of a file.
 * @throws ArchiveMismatch if the file is missing or damaged, or has another root than in the manifest
 */
export async function readLeaves({ stream, key, root }: ManifestFile): Promise<{ id: string; leaf: Buffer }[]> {
  const content = await readContent(key)
  const tree = await readTree(stream, content).catch(() => null)
  if (tree?.root !== root) throw new ArchiveMismatch(key)
  return tree.leaves.map((leaf, index) => ({ id: tree.ids[index] as string, leaf }))
}

/** Reads some columns of all rows of a file. @throws ArchiveMismatch if the file is missing or has other rows */
export async function readColumns({ stream, key, sha256, root }: ManifestFile, columns: string[]): Promise<FileRow[]> {
  const content = await readContent(key)
  // An erasure changes the bytes of a file, but not its root.
  if (hash('sha256', content) !== sha256 && (await rootOfRows(stream, content)) !== root) throw new ArchiveMismatch(key)
  const all: FileRow[] = []
  for await (const rows of groupsIn(content, columns)) for (const row of rows) all.push(row)
  return all
}

/**
 * Compares a file with its manifest: the bytes, the order and the number of rows, and their Merkle roots. `listed` is what later manifests
 * list for the file under `erasures`.
 * @throws UnlistedErasure if the number of erased rows is not the listed one
 * @throws ArchiveMismatch for all other differences
 */
export async function verifyFile(
  file: ManifestFile,
  listed: { sha256: string; rows: number } = { sha256: file.sha256, rows: 0 },
): Promise<void> {
  const content = await readContent(file.key)
  const { ids, leaves, erased, root, groups } = await readTree(file.stream, content)
  const isOrdered = ids.every((id, index) => index === 0 || id > (ids[index - 1] as string))
  const found = { rows: leaves.length, root, groups, first: ids[0] ?? '', last: ids.at(-1) ?? '' }
  const expected = { rows: file.rows, root: file.root, groups: file.groups, first: file.first, last: file.last }
  if (!isOrdered || canonicalJson(found) !== canonicalJson(expected)) throw new ArchiveMismatch(file.key)
  if (erased !== listed.rows) throw new UnlistedErasure(file.key)
  if (hash('sha256', content) !== listed.sha256) throw new ArchiveMismatch(file.key)
}
