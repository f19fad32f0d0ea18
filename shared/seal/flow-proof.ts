import * as v from 'valibot'
import { archiveStore } from '../core/aws/object-store.ts'
import { readArchiveState } from '../logs/blocks/archive-view.ts'
import { groupRows } from '../logs/files/columns.ts'
import { logFilePath, manifestPath } from '../logs/files/file-index.ts'
import { FlowFiles } from '../logs/files/flow-files.ts'
import { FlushedIds } from '../logs/files/flushed-ids.ts'
import { getLog } from '../logs/query-logs.ts'
import { rowLeaf, rowProof } from './log/row-leaf.ts'
import { leafHash } from './merkle/merkle-proof.ts'

/** Proof of a flow in its file (R7.4). `root` is that of the file in the manifest, and `path` leads from the row to it. */
export const FileProof = v.object({
  key: v.string(),
  rows: v.number(),
  root: v.string(),
  index: v.number(),
  leaf_hash: v.string(),
  path: v.array(v.string()),
})

const ManifestFiles = v.object({
  number: v.number(),
  files: v.array(v.object({ key: v.string(), rows: v.number(), root: v.string(), groups: v.array(v.string()) })),
})

const base64 = (hash: Buffer): string => hash.toString('base64')

/**
 * Proves that a flow is in a file of the archive. Returns the file's manifest as text, with its leaf in the archive log. Returns null for a
 * flow that is not in a file yet.
 * @throws ApiError `not_found` for an unknown or expired flow
 */
export async function proveFlow(account: string, id: string) {
  await getLog(account, id)
  const { watermark } = (await readArchiveState(account)) ?? { watermark: 0 }
  const found = await new FlushedIds(account, watermark).find(id)
  if (!found) return null
  const { group, index } = found
  const rows = (await new FlowFiles(account).rows(group)) ?? []
  const leaves = rows.map((row) => rowLeaf('flow', row))
  const manifest = (await archiveStore().get(manifestPath(account, group.hour)))?.content
  if (!manifest) throw new Error(`The archive has no manifest of the hour of the flow ${id}.`)
  const { number, files } = v.parse(ManifestFiles, JSON.parse(manifest.toString()))
  const key = logFilePath({ account, stream: 'flow', ...group })
  const file = files.find((one) => one.key === key)
  if (!file) throw new Error(`The manifest of the hour of the flow ${id} does not contain its file.`)
  const groups = file.groups.map((root) => Buffer.from(root, 'base64'))
  const proof = {
    key,
    rows: file.rows,
    root: file.root,
    index: group.group * groupRows + index,
    leaf_hash: base64(leaves[index] as Buffer),
    path: (await rowProof(leaves, index, groups, group.group)).map(base64),
  }
  return { leaf: { index: number, hash: leafHash(manifest) }, manifest: manifest.toString(), file: proof }
}
