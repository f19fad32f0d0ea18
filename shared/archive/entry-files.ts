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
import type { ManifestFile, SealedSizes } from './manifest.ts'
import { type ArchivedRow, putFile } from './put-file.ts'

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
  let first: ArchivedRow[] = []
  let count = 0
  for await (const entry of entriesOf(account, stream, hour)) {
    await check.add(String(entry.row.log_id), entry.leaf)
    if (count++ < fileLimits.rows) first.push(entry)
  }
  await check.finish()
  const put = (part: number, rows: ArchivedRow[]) => putFile({ account, stream, hour, part }, rows, erasures)
  const files: ManifestFile[] = []
  let rows: ArchivedRow[] = []
  // Reads the entries of a very busy hour again, so that only the rows of one file are in memory.
  for await (const entry of count <= fileLimits.rows ? first : entriesOf(account, stream, hour)) {
    first = []
    rows.push(entry)
    if (rows.length < fileLimits.rows) continue
    files.push(await put(files.length, rows))
    rows = []
  }
  if (rows.length > 0) files.push(await put(files.length, rows))
  return files
}
