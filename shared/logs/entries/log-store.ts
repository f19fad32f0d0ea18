import { deflateRawSync, inflateRawSync, zstdCompressSync } from 'node:zlib'
import { clock, timestamp } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import type { Origin, Subject } from '../../core/subject.ts'
import type { Item } from '../../table/keys.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import { insertTogether } from '../../table/statements.ts'
import { instantOf, type LogStream, logId, streamOf } from './log-id.ts'
import { dayOf, logPartition, logTtl, type PointerField, pointerPartition } from './log-keys.ts'

type ActorFields = { actor_id?: string | null; actor_email?: string | null }
type Entry = ActorFields & { subject?: ActorFields | null } & Record<string, unknown>
/** Stream whose entries are stored as one item each. */
export type StoredStream = Exclude<LogStream, 'flow'>

type Target = { id: string; ttl: number }

/** Builds the pointers to an entry: by the actor and email in the snapshot (L2.6), and by the changed object (L2.8). */
export function pointerItems(account: string, stream: StoredStream, { id, ttl }: Target, entry: Entry): Item[] {
  const actor = stream === 'api_request' ? entry : entry.subject
  const pointerBy = (field: PointerField, value: string | null | undefined): Item[] =>
    value ? [{ pk: pointerPartition(account, stream, field, value), sk: id, kind: 'log_pointer', ttl }] : []
  return [
    ...pointerBy('actor', actor?.actor_id),
    ...pointerBy('email', actor?.actor_email),
    ...(stream === 'change' ? pointerBy('object', objectIdOf(entry)) : []),
  ]
}

/**
 * Members of a subject that are stored only if they are not null. The list never grows: a later member is always stored, so that entries
 * from before it are returned without it (S1.2).
 */
const nullMembers = [
  'actor_id',
  'actor_name',
  'actor_type',
  'actor_email',
  'auth_provider_id',
  'device_id',
  'gateway_id',
  'token_id',
  'ip_region',
  'ip_city',
  'ip_lat',
  'ip_lon',
  'user_agent',
]
const nulls = Object.fromEntries(nullMembers.map((name) => [name, null]))

const withoutNulls = (subject: object) =>
  Object.fromEntries(Object.entries(subject).filter(([name, value]) => value !== null || !Object.hasOwn(nulls, name)))

/** Size in bytes up to which an entry is stored without compression. With its keys, such an item takes one write unit. */
const maxPlainBytes = 800
/** Size in bytes up to which an entry is compressed with DEFLATE, whose window is 32 KB. */
const maxDeflatedBytes = 20_000

/** Compresses an entry. DEFLATE takes half as long as zstd to read 1 KB, but zstd also finds what `after` repeats of a long `before`. */
function packEntry(text: string): string | Uint8Array | { zstd: Uint8Array } {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxPlainBytes) return text
  return bytes <= maxDeflatedBytes ? deflateRawSync(text) : { zstd: zstdCompressSync(text) }
}

/**
 * Builds the items of an entry. The entry is stored as one JSON text, because a page of items with many attributes takes several times as
 * long to read. The number of its leaf is not part of the entry.
 */
export function logItems(
  account: string,
  stream: StoredStream,
  id: string,
  micros: number,
  { leaf, ...entry }: Entry,
): Item[] {
  const ttl = logTtl(stream, micros)
  const { subject } = entry
  const text = JSON.stringify({ ...entry, ...(subject && { subject: withoutNulls(subject) }) })
  return [
    { pk: logPartition(account, stream, dayOf(micros)), sk: id, kind: 'log', ttl, leaf, entry: packEntry(text) },
    ...pointerItems(account, stream, { id, ttl }, entry),
  ]
}

function unpackEntry(entry: unknown): Entry {
  if (typeof entry === 'string') return JSON.parse(entry)
  if (entry instanceof Uint8Array) return JSON.parse(inflateRawSync(entry, { chunkSize: 4_096 }).toString())
  // Decompresses a large entry. Returns an entry unchanged that the caller has already unpacked.
  return fieldsOf(unpackLarge({ entry }).entry)
}

/**
 * Decodes a stored entry (see `logItems`). The type and the time are in its log id.
 * @throws Error for an entry that is not valid JSON
 */
export function readEntry(item: { sk: string; entry?: unknown }): Record<string, unknown> & Entry {
  const { sk } = item
  const fields = unpackEntry(item.entry)
  return {
    ...fields,
    ...(fields.subject && { subject: { ...nulls, ...fields.subject } }),
    type: streamOf(sk),
    log_id: sk,
    timestamp: timestamp(instantOf(sk)),
  }
}

type ApiRequest = Origin & {
  actor_id: string
  api_token_id: string | null
  method: string
  path: string
  content_length: number | null
  request_id: string
}

export async function recordApiRequest(account: string, entry: ApiRequest): Promise<void> {
  const now = clock.now()
  await insertTogether(logItems(account, 'api_request', logId('api_request', now), now, entry))
}

/** Returns the id of the object that an entry changed (L2.8); null for entries of other streams. */
export function objectIdOf({ before, after }: Record<string, unknown>): string | null {
  const { id } = fieldsOf(after ?? before)
  return typeof id === 'string' && id !== '' ? id : null
}

type CreatedSession = {
  context: 'client' | 'gateway' | 'portal'
  subject: Subject
  /** Creation time of the session in microseconds. */
  at: number
}

/** Builds the log entry of a session (L7.1) with its pointers. The transaction that creates the session stores these items. */
export const sessionLogItems = (account: string, { at, ...entry }: CreatedSession): Item[] =>
  logItems(account, 'session', logId('session', at), at, entry)
