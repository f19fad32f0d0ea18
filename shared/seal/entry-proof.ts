import * as v from 'valibot'
import { clock, hourMicros, hourStart } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { instantOf, type LogStream, parseLogId } from '../logs/entries/log-id.ts'
import { logKey } from '../logs/entries/log-keys.ts'
import { invalidLogQuery } from '../logs/log-query.ts'
import { type Key, sealPartition } from '../table/keys.ts'
import { getItem } from '../table/read.ts'
import { FileProof, proveFlow } from './flow-proof.ts'
import {
  type HourStream,
  hourId,
  hourText,
  type SealedHour,
  type SealedLog,
  sealedLogFor,
  sealedLogs,
} from './log/sealed-log.ts'
import { inclusionProof } from './merkle/merkle-proof.ts'
import { HourAnswer, readLeafCount } from './sealed-answers.ts'
import { readCheckpoint, readSealedLog, type StoredCheckpoint } from './sealing/sealed-state.ts'
import { findLeaf, hourKey, hourPartition, tableHashes } from './sealing/table-tiles.ts'

const text = v.string()
const path = v.array(text)

export const ProofAnswer = v.object({
  log: v.picklist(sealedLogs),
  leaf_index: v.number(),
  leaf_hash: text,
  size: v.number(),
  root: text,
  path,
  note: text,
  hour: v.optional(v.object({ ...HourAnswer.entries, index: v.number(), leaf_hash: text, path })),
  /** Content of the manifest that the leaf seals, in RFC 8785 form; only of a flow. */
  manifest: v.optional(text),
  file: v.optional(FileProof),
})

const base64 = (hash: Buffer): string => hash.toString('base64')

async function findCheckpoint(account: string, log: SealedLog, size: number | null): Promise<StoredCheckpoint | null> {
  if (size === null) return (await readSealedLog(account, log)).state
  const kept = await readCheckpoint(account, log, size)
  if (!kept) throw invalidLogQuery('size must be the size of a checkpoint.')
  return kept
}

/**
 * Error for an entry that no checkpoint covers yet. `Retry-After` is 5 minutes, plus the time until the hour of an activity entry is settled.
 * For a flow, it is the current hour, because the hour of its close report is not known.
 */
function notSealedYet(id: string, log: SealedLog): ApiError {
  const hourEnd = hourStart(log === 'archive' ? clock.now() : instantOf(id)) + hourMicros
  const settled = log === 'changes' ? 0 : Math.max(0, hourEnd + hourMicros / 4 - clock.now())
  const seconds = 300 + Math.ceil(settled / 1_000_000)
  return new ApiError('not_sealed_yet', undefined, { headers: { 'retry-after': String(seconds) } })
}

const proveLeaf = async (pk: string, { index, hash }: { index: number; hash: Buffer }, size: number) => ({
  leaf_hash: base64(hash),
  path: (await inclusionProof(index, size, tableHashes(pk))).map(base64),
})

/** Finds the leaf that seals an entry, with the proof that the leaf contains the entry. The leaf is null for an entry that is not sealed. */
async function findSealedEntry(account: string, id: string, stream: LogStream) {
  if (stream === 'flow') return (await proveFlow(account, id)) ?? { leaf: null }
  const pk = sealPartition(account, sealedLogFor(stream))
  if (stream === 'change') return { leaf: await findLeaf(pk, id) }
  const hour = await proveInHour(account, stream, id)
  return { leaf: hour ? await findLeaf(pk, hourId(instantOf(id), stream)) : null, hour }
}

/** Builds the inclusion proof of an entry (`GET /logs/{log_id}/proof`). */
export async function readProof(account: string, id: string, query: URLSearchParams) {
  if (id.length !== 24) throw invalidLogQuery('log_id must be a 24-character hexadecimal string.')
  const requestedSize = readLeafCount(query, 'size')
  const stream = parseLogId(id)?.stream
  if (!stream) throw notFound()
  const log = sealedLogFor(stream)
  const checkpoint = await findCheckpoint(account, log, requestedSize)
  const { leaf, ...parts } = await findSealedEntry(account, id, stream)
  if (!checkpoint || !leaf || leaf.index >= checkpoint.size) {
    if (!leaf && stream !== 'flow' && !(await getItem(logKey(account, id)))) throw notFound()
    if (requestedSize !== null && leaf)
      throw invalidLogQuery('size must be the size of a checkpoint that covers the entry.')
    throw notSealedYet(id, log)
  }
  const { size, root, note } = checkpoint
  const proof = await proveLeaf(sealPartition(account, log), leaf, size)
  return { data: { log, leaf_index: leaf.index, ...proof, size, root, note, ...parts } }
}

/** Builds the inclusion proof of an entry in the tree of its hour; undefined if the hour is not sealed. */
async function proveInHour(account: string, stream: HourStream, id: string) {
  const hour = hourText(instantOf(id))
  const { size, root } = (await getItem<Key & Partial<SealedHour>>(hourKey(account, stream, hour))) ?? {}
  if (root === undefined || size === undefined) return undefined
  const pk = hourPartition(account, stream, hour)
  const leaf = await findLeaf(pk, id)
  return leaf ? { hour, stream, size, root, index: leaf.index, ...(await proveLeaf(pk, leaf, size)) } : undefined
}
