import * as v from 'valibot'
import { timestamp } from '../core/clock.ts'
import { invalidLogQuery, readParameter } from '../logs/log-query.ts'
import { type Key, sealPartition } from '../table/keys.ts'
import { getItem, getItems } from '../table/read.ts'
import { hourStreams, logOrigin, readHourId, type SealedHour, type SealedLog, sealedLogs } from './log/sealed-log.ts'
import { consistencyProof, emptyRoot } from './merkle/merkle-proof.ts'
import { verifierKeyText } from './notes/signed-note.ts'
import { verifierKey } from './notes/signing-key.ts'
import { readCheckpoint, readSealedLog } from './sealing/sealed-state.ts'
import { hourKey, hourPartition, leafHashes, leafIds, tableHashes } from './sealing/table-tiles.ts'

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

export const HourAnswer = v.object({ hour: text, stream: v.picklist(hourStreams), size: v.number(), root: text })

export const ConsistencyAnswer = v.object({ from: v.number(), to: v.number(), path })

/** Response with concatenated leaf hashes in base64. For the activity log, the response also has the hours of the leaves. */
export const LeavesAnswer = v.object({
  from: v.number(),
  to: v.number(),
  hashes: text,
  hours: v.optional(v.array(HourAnswer)),
})

const base64 = (hash: Buffer): string => hash.toString('base64')

export const readLeafCount = (query: URLSearchParams, name: string): number | null =>
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
