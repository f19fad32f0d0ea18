import { hourMicros, timestamp } from '../core/clock.ts'
import { type ArchiveState, type ManifestItem, manifestKey } from '../logs/blocks/archive-view.ts'
import { type ErasedFile, type Erasures, erasureKey, readErasedFiles } from '../logs/blocks/erasures.ts'
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
import { type Manifest, type ManifestFile, putManifest, readManifest, type SealedSizes } from './manifest.ts'
import type { PutFile } from './put-file.ts'

/** Maximum number of rewritten files that a manifest lists. The next one lists further files. */
const maxListed = 10_000

/**
 * Flushes an hour: writes its files and its manifest (R3.5). Adopts the manifest of a run whose state was lost (R3.7). Idempotent. Returns
 * the state to store.
 * @throws UnfinishedHour if the deadline is reached
 * @throws ArchiveMismatch if the archive differs from the logs
 */
export async function flushHour(due: DueHour, state: ArchiveState, sealed: SealedSizes): Promise<ArchiveState> {
  const { account, hour, erasures: accountErasures } = due
  const watermark = hour + hourMicros
  const existing = await readManifest(account, hour)
  const put: PutFile[] = existing ? existing.manifest.files : await putFiles(due)
  const files = put.map(({ erased: _, ...file }): ManifestFile => file)
  if (existing) await adoptFiles(due, existing.manifest)
  const range = { from: state.listed, limit: maxListed }
  const rewritten = accountErasures.size > 0 ? await readErasedFiles(account, range) : []
  const erasures = existing?.manifest.erasures ?? [...put.flatMap(erasedFiles), ...rewritten.map(erasedFile)]
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
  await countListed(account, stored, accountErasures)
  const names = new Set(stored.erasures.map(nameOf))
  const last = rewritten.findLast((file) => names.has(nameOf(file)))
  return {
    ...state,
    watermark,
    until: watermark,
    manifests: manifest.number + 1,
    previous,
    totals: addTotals(state, files),
    listed: last ? last.number + 1 : state.listed,
  }
}

const erasedFile = ({ id, key, sha256, rows }: ErasedFile): ErasedFile => ({ id, key, sha256, rows })
const erasedFiles = ({ erased = {}, ...file }: PutFile): ErasedFile[] =>
  Object.entries(erased).map(([id, rows]) => erasedFile({ ...file, id, rows }))
const nameOf = ({ id, key, sha256 }: ErasedFile): string => `${id} ${key} ${sha256}`

/** Adds the erased rows of a manifest to their erasures, once for each manifest. */
async function countListed(account: string, { number, erasures }: Manifest, accountErasures: Erasures): Promise<void> {
  const rowsOf = new Map<string, number>()
  for (const { id, rows } of new Map(erasures.map((file) => [`${file.id} ${file.key}`, file])).values())
    rowsOf.set(id, (rowsOf.get(id) ?? 0) + rows)
  for (const erasure of accountErasures.values()) {
    const rows = rowsOf.get(erasure.id)
    if (rows === undefined || erasure.last_manifest >= number) continue
    Object.assign(erasure, { rows: erasure.rows + rows, last_manifest: number })
    const set = { rows: erasure.rows, last_manifest: number }
    await changeItem(erasureKey(account, erasure.actor_id), { set, when: 'last_manifest < :last_manifest' })
  }
}

/** Verifies the files of an existing manifest, and rebuilds what the table lacks (R3.7). @throws ArchiveMismatch */
async function adoptFiles(due: DueHour, { files, erasures }: Manifest): Promise<void> {
  if (files.length + erasures.length === 0) throw new ArchiveMismatch(manifestPath(due.account, due.hour))
  for (const name of logStreams) {
    const ofStream = files.filter(({ stream }) => stream === name)
    await (name === 'flow' ? adoptFlowFiles(due, ofStream) : adoptEntryFiles(due, name, ofStream))
  }
}

async function putFiles(due: DueHour): Promise<PutFile[]> {
  const { account, hour, erasures } = due
  const files: PutFile[] = []
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
