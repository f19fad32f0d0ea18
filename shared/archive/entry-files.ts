import { hourMicros } from '../core/clock.ts'
import type { Erasures } from '../logs/blocks/erasures.ts'
import { idFrom, idUntil, type LogStream } from '../logs/entries/log-id.ts'
import { fileLimits } from '../logs/files/columns.ts'
import { entryRow } from '../logs/files/entry-rows.ts'
import { cutEntry, renderEntry } from '../logs/render-entries.ts'
import { walkLogs } from '../logs/walk-logs.ts'
import { sealedAttributes, storedText } from '../seal/log/entry-text.ts'
import { hourText, type SealedHour } from '../seal/log/sealed-log.ts'
import { leafHash } from '../seal/merkle/merkle-proof.ts'
import { GrowingTree } from '../seal/merkle/tiles.ts'
import { readSealedLog } from '../seal/sealing/sealed-state.ts'
import { hourKey, leavesBetween } from '../seal/sealing/table-tiles.ts'
import { readAccountVersion } from '../table/account-version.ts'
import { type Key, sealPartition } from '../table/keys.ts'
import { getItem } from '../table/read.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import type { DueHour } from './due-hour.ts'
import type { ManifestFile, SealedSizes } from './manifest.ts'
import { type ArchivedRow, putFile, readLeaves } from './put-file.ts'

type EntryStream = Exclude<LogStream, 'flow'>

/** Returns the sizes of the sealed logs if they cover all entries before `end`, in microseconds; else null (R3.3). */
export async function sealedSizes(account: string, end: number): Promise<SealedSizes | null> {
  const [changes, activity, { sequence }] = await Promise.all([
    readSealedLog(account, 'changes'),
    readSealedLog(account, 'activity'),
    readAccountVersion(account),
  ])
  const isComplete = (changes.state?.sequence ?? 0) === sequence || (changes.state?.time ?? 0) >= end
  if (!isComplete || (activity.hour ?? 0) < end) return null
  return { changes: changes.state?.size ?? 0, activity: activity.state?.size ?? 0 }
}

/** Compares the leaves of an hour with those that were sealed. @throws ArchiveMismatch with the id of the first other entry */
class SealedHourCheck {
  private readonly tree = new GrowingTree()
  private readonly sealed: AsyncGenerator<{ id: string; hash: Buffer }> | null
  private readonly key: Key | null
  private readonly name: string

  constructor(account: string, stream: EntryStream, hour: number) {
    const range = [idFrom(stream, hour), idUntil(stream, hour + hourMicros - 1)] as const
    this.name = `${stream} ${hourText(hour)}`
    this.sealed = stream === 'change' ? leavesBetween(sealPartition(account, 'changes'), ...range) : null
    this.key = stream === 'change' ? null : hourKey(account, stream, hourText(hour))
  }

  async add(id: string, leaf: Buffer): Promise<void> {
    this.tree.add(leaf)
    if (!this.sealed) return
    const { value } = await this.sealed.next()
    if (value?.id !== id || !value.hash.equals(leaf)) throw new ArchiveMismatch(id)
  }

  async finish(): Promise<void> {
    if (this.sealed && !(await this.sealed.next()).done) throw new ArchiveMismatch(this.name)
    const hour = this.key && (await getItem<Key & Partial<SealedHour>>(this.key))
    if (!this.key || (!hour && this.tree.size === 0)) return
    const root = this.tree.root().toString('base64')
    if (hour?.size !== this.tree.size || hour.root !== root) throw new ArchiveMismatch(this.name)
  }
}

/** Yields the entries of a stream and an hour, in order. */
async function* entriesOf(account: string, stream: EntryStream, hour: number): AsyncGenerator<ArchivedRow> {
  const walk = { account, streams: [stream], ascending: true, begin: hour, end: hour + hourMicros - 1, relaxed: true }
  for await (const item of walkLogs({ ...walk, attributes: sealedAttributes, expected: 1_000 })) {
    const row = entryRow(cutEntry(renderEntry(item, new Map())))
    if (stream === 'change') row.leaf = BigInt(Number(item.leaf))
    yield { row, leaf: leafHash(storedText(item)) }
  }
}

type Size = { rows: number; characters: number }
const noSize: Size = { rows: 0, characters: 0 }
const isFull = ({ rows, characters }: Size) => rows >= fileLimits.rows || characters >= fileLimits.characters
const lengthOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0)
const grow = ({ rows, characters }: Size, { row }: ArchivedRow): Size => ({
  rows: rows + 1,
  characters: characters + lengthOf(row.before) + lengthOf(row.after),
})

/**
 * Writes the entries of a stream and an hour to files, after all of them were compared with the sealed log (R3.3).
 * @throws ArchiveMismatch for a difference
 */
export async function putEntryFiles(
  account: string,
  stream: EntryStream,
  hour: number,
  erasures: Erasures,
): Promise<ManifestFile[]> {
  const check = new SealedHourCheck(account, stream, hour)
  let first: ArchivedRow[] | null = []
  let size = noSize
  for await (const entry of entriesOf(account, stream, hour)) {
    await check.add(String(entry.row.log_id), entry.leaf)
    if (isFull(size)) first = null
    size = grow(size, entry)
    first?.push(entry)
  }
  await check.finish()
  const files: ManifestFile[] = []
  let rows: ArchivedRow[] = []
  const put = async () => {
    files.push(await putFile({ account, stream, hour, part: files.length }, rows, erasures))
    rows = []
  }
  let fileSize = noSize
  // Reads the entries of a very busy hour again, so that only the rows of one file are in memory.
  for await (const entry of first ?? entriesOf(account, stream, hour)) {
    rows.push(entry)
    fileSize = grow(fileSize, entry)
    if (!isFull(fileSize)) continue
    await put()
    fileSize = noSize
  }
  if (rows.length > 0) await put()
  return files
}

/**
 * Verifies the files of a manifest that a flush adopts (R3.7). They must contain all entries of the table, with equal hashes.
 * @throws ArchiveMismatch
 */
export async function adoptEntryFiles(due: DueHour, stream: EntryStream, files: ManifestFile[]): Promise<void> {
  const rows = leavesOf(files)
  for await (const { row, leaf } of entriesOf(due.account, stream, due.hour)) {
    const id = String(row.log_id)
    let found = await rows.next()
    while (!found.done && found.value.id < id) found = await rows.next()
    if (found.done || found.value.id !== id || !found.value.leaf.equals(leaf)) throw new ArchiveMismatch(id)
  }
  // Reads the remaining rows, so that all files are verified.
  for await (const _ of rows);
}

/** Yields the ids and leaves of the rows of some files. @throws ArchiveMismatch for a file with another root */
async function* leavesOf(files: ManifestFile[]): AsyncGenerator<{ id: string; leaf: Buffer }, undefined> {
  for (const file of files) yield* await readLeaves(file)
}
