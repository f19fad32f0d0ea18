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
  erasedFileKey,
  erasureKey,
  readErasedFiles,
  readErasures,
} from '../logs/blocks/erasures.ts'
import { eraseCounts } from '../logs/counters/count-items.ts'
import { type LogStream, logStreams } from '../logs/entries/log-id.ts'
import type { FileRow } from '../logs/files/columns.ts'
import { encodeFile } from '../logs/files/parquet-writer.ts'
import { rowLeaf } from '../seal/log/row-leaf.ts'
import { accountVersionKey } from '../table/keys.ts'
import { putItem } from '../table/put-item.ts'
import { getItem } from '../table/read.ts'
import { ArchiveLease } from './archive-lease.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import { eraseRow, erasureColumns, erasureOf } from './erase-rows.ts'
import { groupsIn } from './put-file.ts'

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
  const erasure = { id: uuidV7(erased_at), actor_id: actor, erased_at, rows: 0, last_manifest: -1 }
  await putItem({ ...erasureKey(account, actor), kind: 'archive_erasure', ...erasure })
  return erasure
}

/** Stores what the next manifest lists, before the file is rewritten. Changes nothing if an interrupted call has stored it. */
async function storeErasedFile(account: string, file: ErasedFile): Promise<void> {
  const [last] = await readErasedFiles(account, 'last')
  if (last?.key === file.key && last.sha256 === file.sha256) return
  const number = last ? last.number + 1 : 0
  const item = { ...erasedFileKey(account, number), kind: 'archive_erased_file', number, ...file }
  await putItem(item, { ConditionExpression: 'attribute_not_exists(pk)' })
}

/** @throws ArchiveMismatch if the file is damaged */
async function* rowsIn(key: string, content: Buffer, columns?: string[]): AsyncGenerator<FileRow> {
  try {
    for await (const rows of groupsIn(content, columns)) yield* rows
  } catch {
    throw new ArchiveMismatch(key)
  }
}

/**
 * Erases the rows of an actor in a file, and deletes older versions of it. Idempotent. Returns the number of rows.
 * @throws ArchiveMismatch if the file is damaged
 */
async function eraseFile(account: string, stream: LogStream, key: string, erasure: Erasure): Promise<number> {
  const stored = await archiveStore().get(key)
  if (!stored) return 0
  const erasures = new Map([[erasure.actor_id, erasure]])
  let [before, rows] = [0, 0]
  for await (const row of rowsIn(key, stored.content, erasureColumns(stream))) {
    if (row.erased_at === erasure.erased_at) before++
    else if (erasureOf(row, erasures)) rows++
  }
  if (rows > 0) {
    const erased: FileRow[] = []
    for await (const row of rowsIn(key, stored.content))
      erased.push(erasureOf(row, erasures) ? eraseRow(row, rowLeaf(stream, row), erasure) : row)
    const content = encodeFile(stream, erased)
    const sha256 = hash('sha256', content)
    await storeErasedFile(account, { id: erasure.id, key, sha256, rows: before + rows })
    if (!(await archiveStore().put(key, content, stored.tag)))
      throw new Error(`The file ${key} was written concurrently.`)
  }
  if (before + rows > 0) await archiveStore().deleteOldVersions(key)
  return rows
}

/**
 * Erases the rows of an actor in all files after the path `after`. `damaged` are the paths of files that cannot be read, and `next` is the
 * path from which the next call continues; null at the end.
 */
async function eraseFiles(account: string, erasure: Erasure, after: string | undefined, hasTime: () => boolean) {
  const result = { files: 0, rows: 0, damaged: [] as string[], next: null as string | null }
  for (const stream of logStreams.toSorted()) {
    for await (const { path } of archiveStore().list(`v1/${stream}/account=${account}/`, after)) {
      const rows = await eraseFile(account, stream, path, erasure).catch((error) => {
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
  if (!(await lease.take((await readArchiveState(account))?.watermark))) throw new ApiError('unavailable', busy)
  try {
    const erasure = await storeErasure(account, actor)
    await eraseCounts(account, actor)
    const result = await eraseFiles(account, erasure, next ?? undefined, hasTime)
    logLine('INFO', 'actor_erased', { account_id: account, erasure: erasure.id, rows: result.rows })
    return { id: erasure.id, erased_at: timestamp(erasure.erased_at), ...result }
  } finally {
    await lease.end(undefined)
  }
}
