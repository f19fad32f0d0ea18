import { archiveStore } from '../core/aws/object-store.ts'
import { isTransient } from '../core/transient-error.ts'
import type { LogStream } from '../logs/entries/log-id.ts'
import { manifestPath } from '../logs/files/file-index.ts'
import { canonicalJson } from '../seal/log/canonical-json.ts'
import { putNew } from './put-new.ts'

/** File in a manifest (R6). `root` and `groups` are Merkle roots over its rows, in base64. `sha256` is hexadecimal. */
export type ManifestFile = {
  stream: LogStream
  key: string
  rows: number
  bytes: number
  sha256: string
  root: string
  groups: string[]
  first: string
  last: string
}

/** Rewritten file in a manifest, with the number of its erased rows (R12.4). */
export type ListedErasure = { key: string; sha256: string; rows: number }

/** Sizes of the sealed logs that the rows of an hour were compared with. */
export type SealedSizes = { changes: number; activity: number }

/**
 * Files of the hours from `from` to `until` (R6). `previous` is the leaf hash of the preceding manifest; null for the first. `erasures` are
 * the files with erased rows that were written or rewritten since the preceding manifest (R12.4).
 */
export type Manifest = {
  type: 'archive'
  version: 1
  account_id: string
  number: number
  previous: string | null
  from: string
  until: string
  sealed: SealedSizes
  files: ManifestFile[]
  erasures: ListedErasure[]
}

/** Puts the manifest of an hour. Returns the stored content, which can be that of an interrupted run. */
export const putManifest = (manifest: Manifest, hour: number): Promise<Buffer> =>
  putNew(manifestPath(manifest.account_id, hour), Buffer.from(canonicalJson(manifest)))

type StoredManifest = { manifest: Manifest; content: Buffer }

/** Reads the manifest of an hour; null if there is none. @throws Error for content that is not a manifest */
export const readManifest = (account: string, hour: number): Promise<StoredManifest | null> =>
  readManifestAt(manifestPath(account, hour))

async function readManifestAt(path: string): Promise<StoredManifest | null> {
  const stored = await archiveStore().get(path)
  if (!stored) return null
  const manifest = JSON.parse(stored.content.toString())
  if (manifest?.type !== 'archive' || manifest.version !== 1) throw new Error('This is not a manifest.')
  return { manifest, content: stored.content }
}

/** Reads a manifest; null if there is none, or if its content is not a manifest. */
export const readIfValid = (path: string): Promise<StoredManifest | null> =>
  readManifestAt(path).catch((error: unknown) => {
    if (isTransient(error)) throw error
    return null
  })
