import { hourMicros, timestamp } from '../core/clock.ts'
import { type ArchiveState, type ManifestItem, manifestKey } from '../logs/blocks/archive-view.ts'
import { logStreams } from '../logs/entries/log-id.ts'
import { manifestPath } from '../logs/files/file-index.ts'
import { canonicalJson } from '../seal/log/canonical-json.ts'
import { leafHash } from '../seal/merkle/merkle-proof.ts'
import { putItem } from '../table/put-item.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import { putEntryFiles } from './entry-files.ts'
import { adoptFlowFiles, type DueHour, putFlowFiles } from './hour-flows.ts'
import { type Manifest, type ManifestFile, putManifest, readManifest, type SealedSizes } from './manifest.ts'

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
  if (existing)
    await adoptFlowFiles(
      due,
      files.filter(({ stream }) => stream === 'flow'),
    )
  if (files.length === 0) return { ...state, watermark }
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
    erasures: [],
  }
  const path = manifestPath(account, hour)
  const content = existing?.content ?? (await putManifest(manifest, hour))
  const stored: Manifest = JSON.parse(content.toString())
  // The sizes of the sealed logs differ when two runs write the manifest.
  if (canonicalJson({ ...stored, sealed }) !== canonicalJson({ ...manifest, sealed })) throw new ArchiveMismatch(path)
  const previous = leafHash(content).toString('base64')
  const item: ManifestItem = {
    ...manifestKey(account, manifest.number),
    kind: 'archive_manifest',
    hash: previous,
    hour,
  }
  await putItem(item)
  return {
    ...state,
    watermark,
    until: watermark,
    manifests: manifest.number + 1,
    previous,
    totals: addTotals(state, files),
  }
}

async function putFiles(due: DueHour): Promise<ManifestFile[]> {
  const files: ManifestFile[] = []
  for (const stream of logStreams)
    files.push(...(stream === 'flow' ? await putFlowFiles(due) : await putEntryFiles(due.account, stream, due.hour)))
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
