import { hourMicros, timestamp } from '../core/clock.ts'
import { inParallel } from '../core/work/in-parallel.ts'
import { type ArchiveState, type ManifestItem, manifestKey } from '../logs/blocks/archive-view.ts'
import { erasedFileKey, erasedRows, readErasedFiles } from '../logs/blocks/erasures.ts'
import { logStreams } from '../logs/entries/log-id.ts'
import { manifestPath } from '../logs/files/file-index.ts'
import { canonicalJson } from '../seal/log/canonical-json.ts'
import { leafHash } from '../seal/merkle/merkle-proof.ts'
import { changeItem } from '../table/change-item.ts'
import { putItem } from '../table/put-item.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import type { DueHour } from './due-hour.ts'
import { adoptEntryFiles, putEntryFiles } from './entry-files.ts'
import { adoptFlowFiles, putFlowFiles } from './hour-flows.ts'
import {
  type ListedErasure,
  type Manifest,
  type ManifestFile,
  putManifest,
  readManifest,
  type SealedSizes,
} from './manifest.ts'

/** Maximum number of rewritten files that a manifest lists. The next one lists further files. */
const maxListed = 10_000

/**
 * Flushes an hour: writes its files and its manifest (R3.5). Adopts the manifest of a run whose state was lost (R3.7). Idempotent. Returns
 * the state to store.
 * @throws UnfinishedHour if the deadline is reached
 * @throws ArchiveMismatch if the archive differs from the logs
 */
export async function flushHour(due: DueHour, state: ArchiveState, sealed: SealedSizes): Promise<ArchiveState> {
  const { account, hour } = due
  const watermark = hour + hourMicros
  const existing = await readManifest(account, hour)
  const files = existing ? existing.manifest.files : await putFiles(due)
  if (existing) await adoptFiles(due, existing.manifest)
  const erasures = existing?.manifest.erasures ?? (due.erasures.size > 0 ? await unlistedFiles(account) : [])
  if (files.length === 0 && erasures.length === 0) return { ...state, watermark }
  const manifest: Manifest = {
    type: 'archive',
    version: 1,
    account_id: account,
    number: state.manifests,
    previous: state.previous,
    from: timestamp(state.until),
    until: timestamp(watermark),
    sealed: existing?.manifest.sealed ?? sealed,
    files,
    erasures,
  }
  const path = manifestPath(account, hour)
  const content = existing?.content ?? (await putManifest(manifest, hour))
  const stored: Manifest = JSON.parse(content.toString())
  // The sizes of the sealed logs and the erasures differ when two runs write the manifest.
  const others = { sealed, erasures }
  if (canonicalJson({ ...stored, ...others }) !== canonicalJson({ ...manifest, ...others }))
    throw new ArchiveMismatch(path)
  const previous = leafHash(content).toString('base64')
  const item: ManifestItem = {
    ...manifestKey(account, manifest.number),
    kind: 'archive_manifest',
    hash: previous,
    hour,
    erasures: stored.erasures.length,
  }
  await putItem(item)
  await markListed(account, stored)
  return {
    ...state,
    watermark,
    until: watermark,
    manifests: manifest.number + 1,
    previous,
    totals: addTotals(state, files),
  }
}

/** Returns the rewritten files for the next manifest. */
async function unlistedFiles(account: string): Promise<ListedErasure[]> {
  const unlisted = (await readErasedFiles(account)).filter(({ manifest }) => manifest === null)
  return unlisted.slice(0, maxListed).map((file) => ({ key: file.key, sha256: file.sha256, rows: erasedRows(file) }))
}

/** Verifies the files of an existing manifest, and rebuilds what the table lacks (R3.7). @throws ArchiveMismatch */
async function adoptFiles(due: DueHour, { files, erasures }: Manifest): Promise<void> {
  if (files.length + erasures.length === 0) throw new ArchiveMismatch(manifestPath(due.account, due.hour))
  for (const name of logStreams) {
    const ofStream = files.filter(({ stream }) => stream === name)
    await (name === 'flow' ? adoptFlowFiles(due, ofStream) : adoptEntryFiles(due, name, ofStream))
  }
}

/** Marks the files that a manifest lists, except files that were rewritten since. Idempotent. */
const markListed = (account: string, { number, erasures }: Manifest): Promise<void> =>
  inParallel(erasures, 16, ({ key, sha256 }) =>
    changeItem(erasedFileKey(account, key), {
      set: { manifest: number },
      when: 'sha256 = :sha256',
      values: { sha256 },
    }),
  )

async function putFiles(due: DueHour): Promise<ManifestFile[]> {
  const { account, hour, erasures } = due
  const files: ManifestFile[] = []
  for (const stream of logStreams)
    files.push(...(stream === 'flow' ? await putFlowFiles(due) : await putEntryFiles(account, stream, hour, erasures)))
  return files
}

function addTotals({ totals }: ArchiveState, files: ManifestFile[]): ArchiveState['totals'] {
  const sums = { ...totals }
  for (const { stream, rows, bytes } of files) {
    const before = sums[stream] ?? { rows: 0, bytes: 0 }
    sums[stream] = { rows: before.rows + rows, bytes: before.bytes + bytes }
  }
  return sums
}
