import * as v from 'valibot'
import { clock, timestamp } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { instantOf, parseLogId } from '../logs/entries/log-id.ts'
import { logKeys } from '../logs/entries/log-keys.ts'
import { invalidLogQuery, readParameter } from '../logs/log-query.ts'
import { type Key, sealPartition } from '../table/keys.ts'
import { getItem, getItems } from '../table/read.ts'
import {
  type HourStream,
  hourId,
  hourMicros,
  hourStart,
  hourStreams,
  hourText,
  logOrigin,
  readHourId,
  type SealedHour,
  type SealedLog,
  sealedLogFor,
  sealedLogs,
} from './log/sealed-log.ts'
import { consistencyProof, emptyRoot, inclusionProof } from './merkle/merkle-proof.ts'
import { verifierKeyText } from './notes/signed-note.ts'
import { verifierKey } from './notes/signing-key.ts'
import { readCheckpoint, readSealedLog, type StoredCheckpoint } from './sealing/sealed-state.ts'
import { findLeaf, hourKey, hourPartition, leafHashes, leafIds, tableHashes } from './sealing/table-tiles.ts'

const text = v.string()
const path = v.array(text)

export const CheckpointAnswer = v.object({
  log: v.picklist(sealedLogs),
  origin: text,
  size: v.number(),
  root: text,
  signed_at: v.nullable(text),
  note: v.nullable(text),
  verifier_key: text,
  /** Predecessor of the log (S2.5); null if there is none. */
  follows: v.nullable(
    v.object({ origin: text, size: v.number(), root: text, note: text, shared: v.number(), last: v.nullable(text) }),
  ),
})

const HourAnswer = v.object({ hour: text, stream: v.picklist(hourStreams), size: v.number(), root: text })

export const ProofAnswer = v.object({
  log: v.picklist(sealedLogs),
  leaf_index: v.number(),
  leaf_hash: text,
  size: v.number(),
  root: text,
  path,
  note: text,
  hour: v.optional(v.object({ ...HourAnswer.entries, index: v.number(), leaf_hash: text, path })),
})

export const ConsistencyAnswer = v.object({ from: v.number(), to: v.number(), path })

/** Response with concatenated leaf hashes in base64. For the activity log, the response also has the hours of the leaves. */
export const LeavesAnswer = v.object({
  from: v.number(),
  to: v.number(),
  hashes: text,
  hours: v.optional(v.array(HourAnswer)),
})

const base64 = (hash: Buffer): string => hash.toString('base64')

const readLeafCount = (query: URLSearchParams, name: string): number | null =>
  readParameter(query, name, (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null), 'a number of leaves')

/** Reads the newest checkpoint (`GET /logs/checkpoints/{log}`). Before the first seal, the checkpoint has size 0. */
export async function readNewestCheckpoint(account: string, log: SealedLog, address: string) {
  const { state, start } = await readSealedLog(account, log)
  const { generation = 1, follows = null } = start
  if (state) return { data: { log, ...state, signed_at: timestamp(state.signed_at), follows } }
  const verifier_key = verifierKeyText(await verifierKey(address))
  const nothing = { size: 0, root: base64(emptyRoot()), signed_at: null, note: null }
  return { data: { log, origin: logOrigin(address, account, log, generation), ...nothing, verifier_key, follows } }
}

async function findCheckpoint(account: string, log: SealedLog, size: number | null): Promise<StoredCheckpoint | null> {
  if (size === null) return (await readSealedLog(account, log)).state
  const kept = await readCheckpoint(account, log, size)
  if (!kept) throw invalidLogQuery('size must be the size of a checkpoint.')
  return kept
}

/**
 * Error for an entry that no checkpoint covers yet. `Retry-After` is 5 minutes, plus the time until an activity entry's hour is settled.
 */
function notSealedYet(id: string, log: SealedLog): ApiError {
  const hourEnd = hourStart(instantOf(id)) + hourMicros
  const settled = log === 'changes' ? 0 : Math.max(0, hourEnd + hourMicros / 4 - clock.now())
  const seconds = 300 + Math.ceil(settled / 1_000_000)
  return new ApiError('not_sealed_yet', undefined, { headers: { 'retry-after': String(seconds) } })
}

const proveLeaf = async (pk: string, { index, hash }: { index: number; hash: Buffer }, size: number) => ({
  leaf_hash: base64(hash),
  path: (await inclusionProof(index, size, tableHashes(pk))).map(base64),
})

/** Builds the inclusion proof of an entry (`GET /logs/{log_id}/proof`). */
export async function readProof(account: string, id: string, query: URLSearchParams) {
  if (id.length !== 24) throw invalidLogQuery('log_id must be a 24-character hexadecimal string.')
  const requestedSize = readLeafCount(query, 'size')
  const parsed = parseLogId(id)
  const log = parsed && sealedLogFor(parsed.stream)
  if (!parsed || !log) throw notFound()
  const checkpoint = await findCheckpoint(account, log, requestedSize)
  const stream = hourStreams.find((one) => one === parsed.stream)
  const hour = stream && (await proveInHour(account, stream, id))
  const pk = sealPartition(account, log)
  const leaf = stream && !hour ? null : await findLeaf(pk, stream ? hourId(parsed.micros, stream) : id)
  if (!checkpoint || !leaf || leaf.index >= checkpoint.size) {
    const [key] = logKeys(account, id)
    if (!leaf && !(key && (await getItem(key)))) throw notFound()
    if (requestedSize !== null && leaf)
      throw invalidLogQuery('size must be the size of a checkpoint that covers the entry.')
    throw notSealedYet(id, log)
  }
  const { size, root, note } = checkpoint
  const proof = await proveLeaf(pk, leaf, size)
  return { data: { log, leaf_index: leaf.index, ...proof, size, root, note, ...(hour && { hour }) } }
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

/** Builds a consistency proof between two checkpoints (`GET /logs/checkpoints/{log}/consistency`). */
export async function readConsistency(account: string, log: SealedLog, query: URLSearchParams) {
  const [from, to] = [readLeafCount(query, 'from'), readLeafCount(query, 'to')]
  if (from === null || to === null) throw invalidLogQuery('from and to must be sizes of checkpoints.')
  if (from > to) throw invalidLogQuery('from must not be above to.')
  const sizes = [...new Set([from, to])].filter((size) => size > 0)
  const checkpoints = await Promise.all(sizes.map((size) => readCheckpoint(account, log, size)))
  if (checkpoints.some((checkpoint) => !checkpoint)) throw invalidLogQuery('from and to must be sizes of checkpoints.')
  const proof = await consistencyProof(from, to, tableHashes(sealPartition(account, log)))
  return { data: { from, to, path: proof.map(base64) } }
}

const maxLeaves = 10_000

/** Lists a range of leaf hashes (`GET /logs/checkpoints/{log}/leaves`). */
export async function readLeafHashes(account: string, log: SealedLog, query: URLSearchParams) {
  const [from, to] = [readLeafCount(query, 'from'), readLeafCount(query, 'to')]
  const { pk, size, hasHours } = await findTree(account, log, query)
  if (from === null || to === null || from > to || to > size || to - from > maxLeaves) {
    throw invalidLogQuery(`from and to must be numbers of sealed leaves, at most ${maxLeaves} apart.`)
  }
  if (from === to) return { data: { from, to, hashes: '' } }
  const hashes = base64(await leafHashes(pk, from, to))
  if (!hasHours) return { data: { from, to, hashes } }
  const keys = (await leafIds(pk, from, to)).map(readHourId).map(({ hour, stream }) => hourKey(account, stream, hour))
  const hours = await getItems<Key & SealedHour>(keys)
  return { data: { from, to, hashes, hours: hours.filter((hour) => hour !== undefined) } }
}

/** Finds the tree that a query selects: the log's tree or, with `hour` and `stream`, the tree of an hour. */
async function findTree(account: string, log: SealedLog, query: URLSearchParams) {
  const [hour, stream] = [query.get('hour'), hourStreams.find((name) => name === query.get('stream'))]
  if (hour === null && !query.has('stream')) {
    const { state } = await readSealedLog(account, log)
    return { pk: sealPartition(account, log), size: state?.size ?? 0, hasHours: log === 'activity' }
  }
  const sealed = hour && stream && log === 'activity' ? await getItem(hourKey(account, stream, hour)) : undefined
  if (!hour || !stream || sealed?.root === undefined) throw invalidLogQuery('hour and stream must name a sealed hour.')
  return { pk: hourPartition(account, stream, hour), size: Number(sealed.size), hasHours: false }
}
