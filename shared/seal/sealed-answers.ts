import * as v from 'valibot'
import { clock, timestamp } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { instantOf, parseLogId } from '../logs/log-id.ts'
import { logKeys } from '../logs/log-keys.ts'
import { type Key, sealPartition } from '../table/keys.ts'
import { getItem, getItems } from '../table/read.ts'
import { hourId, hourMicros, hourStart, hourText, readHourId, type SealedHour } from './log/hour-leaf.ts'
import { type HourStream, hourStreams, logOf, originOf, type SealedLog, sealedLogs } from './log/sealed-log.ts'
import { type KeptCheckpoint, readCheckpoint, readSealedLog, readSealedState } from './log/sealed-state.ts'
import { emptyRoot } from './merkle/merkle-hash.ts'
import { consistencyProof, inclusionProof } from './merkle/merkle-proof.ts'
import { verifierKeyText } from './notes/signed-note.ts'
import { verifierKey } from './notes/signing-key.ts'
import { findLeaf, hourKey, hourPartition, leafHashes, leafIds, tableHashes } from './sealing/table-tiles.ts'

const text = v.string()
const path = v.array(text)

/** The newest checkpoint of a log (S4). */
export const CheckpointAnswer = v.object({
  log: v.picklist(sealedLogs),
  origin: text,
  size: v.number(),
  root: text,
  signed_at: v.nullable(text),
  note: v.nullable(text),
  verifier_key: text,
  /** The log that this one follows (S2.5). */
  follows: v.nullable(
    v.object({ origin: text, size: v.number(), root: text, note: text, shared: v.number(), last: v.nullable(text) }),
  ),
})

const HourAnswer = v.object({ hour: text, stream: v.picklist(hourStreams), size: v.number(), root: text })

/** The proof that an entry is in a log (S4). */
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

/** Leaf hashes one after the other, in base64; of the activity log with the hours that they seal. */
export const LeavesAnswer = v.object({
  from: v.number(),
  to: v.number(),
  hashes: text,
  hours: v.optional(v.array(HourAnswer)),
})

const base64 = (hash: Buffer): string => hash.toString('base64')

const refuse = (detail: string) => new ApiError('invalid_log_query', detail)

function numberOf(query: URLSearchParams, name: string): number | null {
  const [text, ...more] = query.getAll(name)
  if (more.length > 0 || query.has(`${name}[]`)) throw refuse(`${name} must be a single string.`)
  if (text === undefined || text === '') return null
  if (!/^\d{1,15}$/.test(text)) throw refuse(`${name} must be a number of leaves.`)
  return Number(text)
}

/** `GET /logs/checkpoints/{log}` */
export async function newestCheckpoint(account: string, log: SealedLog, address: string) {
  const [state, { generation = 1, follows = null }] = await readSealedLog(account, log)
  if (state) {
    const { origin, size, root, signed_at, note, verifier_key } = state
    return { data: { log, origin, size, root, signed_at: timestamp(signed_at), note, verifier_key, follows } }
  }
  const verifier_key = verifierKeyText(await verifierKey(address))
  const nothing = { size: 0, root: base64(emptyRoot()), signed_at: null, note: null }
  return { data: { log, origin: originOf(address, account, log, generation), ...nothing, verifier_key, follows } }
}

/** The checkpoint of the size that is asked for, or the newest. */
async function checkpointOf(account: string, log: SealedLog, size: number | null): Promise<KeptCheckpoint | null> {
  if (size === null) return readSealedState(account, log)
  const kept = await readCheckpoint(account, log, size)
  if (!kept) throw refuse('size must be that of a checkpoint.')
  return kept
}

function notSealedYet(id: string, log: SealedLog): ApiError {
  const hourEnd = hourStart(instantOf(id)) + hourMicros
  const settled = log === 'changes' ? 0 : Math.max(0, hourEnd + hourMicros / 4 - clock.now())
  const seconds = 300 + Math.ceil(settled / 1_000_000)
  return new ApiError('not_sealed_yet', undefined, { headers: { 'retry-after': String(seconds) } })
}

/** `GET /logs/{log_id}/proof` */
export async function proofOf(account: string, asked: string, query: URLSearchParams) {
  if (asked.length !== 24) throw refuse('log_id must be a 24-character hexadecimal string.')
  const size = numberOf(query, 'size')
  const parsed = parseLogId(asked)
  const log = parsed && logOf(parsed.stream)
  if (!parsed || !log) throw notFound()
  const checkpoint = await checkpointOf(account, log, size)
  const isHour = parsed.stream === 'session' || parsed.stream === 'api_request'
  const inHour = isHour ? await hourProof(account, parsed.stream as HourStream, asked) : null
  const id = isHour ? hourId(parsed.micros, parsed.stream as HourStream) : asked
  const pk = sealPartition(account, log)
  const leaf = isHour && !inHour ? null : await findLeaf(pk, id)
  if (!checkpoint || !leaf || leaf.index >= checkpoint.size) {
    const [key] = logKeys(account, asked)
    if (!leaf && !(key && (await getItem(key)))) throw notFound()
    if (size !== null && leaf) throw refuse('size must be that of a checkpoint that covers the entry.')
    throw notSealedYet(asked, log)
  }
  const proof = await inclusionProof(leaf.index, checkpoint.size, tableHashes(pk))
  return {
    data: {
      log,
      leaf_index: leaf.index,
      leaf_hash: base64(leaf.hash),
      size: checkpoint.size,
      root: checkpoint.root,
      path: proof.map(base64),
      note: checkpoint.note,
      ...(inHour && { hour: inHour }),
    },
  }
}

/** The proof of an entry within its hour; null where that is not sealed. */
async function hourProof(account: string, stream: HourStream, id: string) {
  const hour = hourText(instantOf(id))
  const sealed = await getItem<Key & Partial<SealedHour>>(hourKey(account, stream, hour))
  if (sealed?.root === undefined || sealed.size === undefined) return null
  const pk = hourPartition(account, stream, hour)
  const leaf = await findLeaf(pk, id)
  if (!leaf) return null
  const proof = await inclusionProof(leaf.index, sealed.size, tableHashes(pk))
  const { size, root } = sealed
  return { hour, stream, size, root, index: leaf.index, leaf_hash: base64(leaf.hash), path: proof.map(base64) }
}

/** `GET /logs/checkpoints/{log}/consistency` */
export async function consistencyOf(account: string, log: SealedLog, query: URLSearchParams) {
  const [from, to] = [numberOf(query, 'from'), numberOf(query, 'to')]
  if (from === null || to === null) throw refuse('from and to must be sizes of checkpoints.')
  if (from > to) throw refuse('from must not be above to.')
  const sizes = [...new Set([from, to])].filter((size) => size > 0)
  const known = await Promise.all(sizes.map((size) => readCheckpoint(account, log, size)))
  if (known.some((checkpoint) => !checkpoint)) throw refuse('from and to must be sizes of checkpoints.')
  const proof = await consistencyProof(from, to, tableHashes(sealPartition(account, log)))
  return { data: { from, to, path: proof.map(base64) } }
}

/** The most leaves of one answer. */
const mostLeaves = 10_000

/** `GET /logs/checkpoints/{log}/leaves` */
export async function leavesOf(account: string, log: SealedLog, query: URLSearchParams) {
  const [from, to] = [numberOf(query, 'from'), numberOf(query, 'to')]
  const whole = await treeOf(account, log, query)
  if (from === null || to === null || from > to || to > whole.size || to - from > mostLeaves) {
    throw refuse(`from and to must be numbers of sealed leaves, at most ${mostLeaves} apart.`)
  }
  if (from === to) return { data: { from, to, hashes: '' } }
  const hashes = base64(await leafHashes(whole.pk, from, to))
  if (log === 'changes' || whole.isHour) return { data: { from, to, hashes } }
  return { data: { from, to, hashes, hours: await hoursOf(account, whole.pk, from, to) } }
}

/** The log itself, or the tree within an hour. */
async function treeOf(account: string, log: SealedLog, query: URLSearchParams) {
  const [hour, stream] = [query.get('hour'), hourStreams.find((name) => name === query.get('stream'))]
  if (hour === null && !query.has('stream')) {
    const state = await readSealedState(account, log)
    return { pk: sealPartition(account, log), size: state?.size ?? 0, isHour: false }
  }
  const sealed = hour && stream && log === 'activity' ? await getItem(hourKey(account, stream, hour)) : undefined
  if (!hour || !stream || sealed?.root === undefined) throw refuse('hour and stream must be those of a sealed hour.')
  return { pk: hourPartition(account, stream, hour), size: Number(sealed.size), isHour: true }
}

async function hoursOf(account: string, pk: string, from: number, to: number): Promise<SealedHour[]> {
  const ids = await leafIds(pk, from, to)
  const hours = ids.map(readHourId)
  const items = await getItems<Key & SealedHour>(hours.map(({ hour, stream }) => hourKey(account, stream, hour)))
  return items.map((item, i) => ({
    ...(hours[i] as (typeof hours)[0]),
    size: item?.size ?? 0,
    root: item?.root ?? '',
  }))
}
