import { hash } from 'node:crypto'
import * as v from 'valibot'
import { archiveStore } from '../core/aws/object-store.ts'
import { clock, timestamp } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { readAccountId, readEvent } from '../core/event-account.ts'
import { uuidV7 } from '../core/ids.ts'
import { logLine } from '../core/logging/log.ts'
import { readArchiveState } from '../logs/blocks/archive-view.ts'
import {
  type ErasedFile,
  type Erasure,
  erasureKey,
  readErasedFiles,
  readErasures,
  storeErasedFile,
} from '../logs/blocks/erasures.ts'
import { eraseCounts } from '../logs/counters/count-items.ts'
import { type LogStream, logStreams } from '../logs/entries/log-id.ts'
import type { FileRow } from '../logs/files/columns.ts'
import { manifestPath } from '../logs/files/file-index.ts'
import { encodeFile } from '../logs/files/parquet-writer.ts'
import { eraseRefusals } from '../logs/refusals/refusals.ts'
import { rowLeaf } from '../seal/log/row-leaf.ts'
import { accountVersionKey } from '../table/keys.ts'
import { putItem } from '../table/put-item.ts'
import { getItem } from '../table/read.ts'
import { ArchiveLease } from './archive-lease.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import { countErased, eraseRow, erasureColumns, erasureOf, isErased } from './erase-rows.ts'
import { readIfValid } from './manifest.ts'
import { hourOfPath, isExpired } from './object-hour.ts'
import { groupsIn, rootOfRows } from './put-file.ts'

const EraseEvent = v.strictObject({
  account_id: v.optional(v.unknown()),
  actor_id: v.optional(v.unknown()),
  next: v.optional(v.nullable(v.string())),
})

const busy = 'A flush or another erasure uses the archive of the account. Nothing was erased; retry in a few minutes.'

/** Returns the erasure of an actor. Stores it on the first call, so that later flushes erase further rows. */
async function storeErasure(account: string, actor: string): Promise<Erasure> {
  const erasures = await readErasures(account)
  const stored = erasures.get(actor)
  if (stored) return stored
  const erased_at = Math.max(clock.now(), 1 + ([...erasures.values()].at(-1)?.erased_at ?? 0))
  const erasure = { id: uuidV7(erased_at), actor_id: actor, erased_at }
  await putItem({ ...erasureKey(account, actor), kind: 'archive_erasure', ...erasure })
  return erasure
}

/** @throws ArchiveMismatch if the file is damaged */
async function* rowsIn(key: string, content: Buffer, columns?: string[]): AsyncGenerator<FileRow> {
  try {
    for await (const rows of groupsIn(content, columns)) yield* rows
  } catch {
    throw new ArchiveMismatch(key)
  }
}

/** Erasure in progress. `watermark` is that of the archive, and `erasedFiles` are the stored states by path, from before any file is read. */
type Run = { account: string; watermark: number; erasure: Erasure; erasedFiles: Map<string, ErasedFile> }

/**
 * Compares a file with its manifest. A file of an hour that is not flushed has none, and its entries are still in the table.
 * @throws ArchiveMismatch for other rows, or if the manifest does not list the file
 */
async function checkRoot({ account, watermark }: Run, stream: LogStream, key: string, content: Buffer): Promise<void> {
  const stored = await readIfValid(manifestPath(account, hourOfPath(key)))
  if (!stored && hourOfPath(key) >= watermark) return
  const listed = stored?.manifest.files.find((file) => file.key === key)
  if ((await rootOfRows(stream, content)) !== listed?.root) throw new ArchiveMismatch(key)
}

/** Replaces a file. @throws Error if a different run has replaced it */
async function replaceFile(key: string, content: Buffer, sha256: string, tag: string): Promise<void> {
  if (await archiveStore().put(key, content, tag)) return
  // The response of an earlier attempt can be lost.
  const stored = await archiveStore().get(key)
  if (!stored || hash('sha256', stored.content) !== sha256) throw new Error(`The file ${key} was written concurrently.`)
}

/**
 * Erases the rows of an actor in a file, stores its state for the next manifest, and deletes its older versions. Deletes an expired file
 * instead, because a rewritten file would expire later (R12.1). Idempotent. Returns the number of rows.
 * @throws ArchiveMismatch if the file is damaged or differs from its manifest
 */
async function eraseFile(run: Run, stream: LogStream, key: string): Promise<number> {
  const { account, erasure, erasedFiles } = run
  const stored = await archiveStore().get(key)
  if (!stored) return 0
  const erasures = new Map([[erasure.actor_id, erasure]])
  let [rows, hasErased] = [0, false]
  for await (const row of rowsIn(key, stored.content, erasureColumns(stream))) {
    if (isErased(row)) hasErased = true
    else if (erasureOf(row, erasures)) rows++
  }
  if (rows > 0 && isExpired(key)) await archiveStore().deleteFolder(key, () => true)
  if ((rows === 0 && !hasErased) || isExpired(key)) return rows
  await checkRoot(run, stream, key, stored.content)
  const erased: FileRow[] = []
  for await (const row of rowsIn(key, stored.content))
    erased.push(erasureOf(row, erasures) ? eraseRow(row, rowLeaf(stream, row), erasure) : row)
  const content = rows > 0 ? encodeFile(stream, erased) : stored.content
  const sha256 = hash('sha256', content)
  if (rows > 0) await replaceFile(key, content, sha256, stored.tag)
  const file = { key, sha256, rows: countErased(erased) }
  if (!(await storeErasedFile(account, file, erasedFiles.get(key))))
    throw new Error(`The state of the file ${key} was written concurrently.`)
  await archiveStore().deleteOldVersions(key)
  return rows
}

/**
 * Erases the rows of an actor in all files after the path `after`. `damaged` are the paths of files that cannot be read or differ from their
 * manifests, and `next` is the path from which the next call continues; null at the end.
 */
async function eraseFiles(run: Run, after: string | undefined, hasTime: () => boolean) {
  const result = { files: 0, rows: 0, damaged: [] as string[], next: null as string | null }
  for (const stream of logStreams.toSorted()) {
    for await (const { path } of archiveStore().list(`v1/${stream}/account=${run.account}/`, after)) {
      const rows = await eraseFile(run, stream, path).catch((error) => {
        if (!(error instanceof ArchiveMismatch)) throw error
        result.damaged.push(error.at)
        return 0
      })
      result.rows += rows
      if (rows > 0) result.files++
      if (!hasTime()) return { ...result, next: path }
    }
  }
  return result
}

/**
 * Erases the rows of an actor in all files of an account, and in those of later flushes (R12.4). The next manifest lists the files. Idempotent.
 * @param event `account_id` and `actor_id`; `next` continues an earlier call
 * @throws ApiError `bad_request` for an invalid event, `not_found` for an unknown account, `unavailable` during a flush or another erasure
 */
export async function eraseActor(event: unknown, hasTime: () => boolean = () => true) {
  const { next } = readEvent(EraseEvent, event)
  const [account, actor] = [readAccountId(event), readAccountId(event, 'actor_id')]
  if (!(await getItem(accountVersionKey(account))))
    throw new ApiError('not_found', `The account ${account} does not exist.`)
  const lease = new ArchiveLease(account)
  const state = await readArchiveState(account)
  if (!(await lease.take(state?.watermark))) throw new ApiError('unavailable', busy)
  try {
    const erasure = await storeErasure(account, actor)
    await eraseCounts(account, actor)
    if (!next) await eraseRefusals(account, actor)
    const erasedFiles = new Map((await readErasedFiles(account)).map((file) => [file.key, file]))
    const run = { account, watermark: state?.watermark ?? 0, erasure, erasedFiles }
    const result = await eraseFiles(run, next ?? undefined, hasTime)
    logLine('INFO', 'actor_erased', { account_id: account, erasure: erasure.id, rows: result.rows })
    return { id: erasure.id, erased_at: timestamp(erasure.erased_at), ...result }
  } finally {
    await lease.end(undefined)
  }
}
