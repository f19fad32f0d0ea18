import { clock, timestamp } from '../core/clock.ts'
import type { Origin } from '../core/subject.ts'
import type { Item } from '../table/keys.ts'
import { insertTogether } from '../table/statements.ts'
import { type LogStream, logId } from './log-id.ts'
import { dayOf, logPartition, logTtl, type NamedField, namedPartition } from './log-keys.ts'
import { objectIdOf } from './object-id-of.ts'

type Named = { actor_id?: string | null; actor_email?: string | null }
type Entry = Named & { subject?: Named | null } & Record<string, unknown>
/** Flows are stored by their consumer. */
type Stored = Exclude<LogStream, 'flow'>

/** The entry that pointers lead to: its id, and when it goes. */
type Target = { id: string; ttl: number }

/** The pointers by which an entry is found: under who its snapshot names (L2.6), and under what it changed (L2.8). */
export function pointerItems(account: string, stream: Stored, { id, ttl }: Target, entry: Entry): Item[] {
  const named = stream === 'api_request' ? entry : entry.subject
  const pointerBy = (field: NamedField, value: string | null | undefined): Item[] =>
    value ? [{ pk: namedPartition(account, stream, field, value), sk: id, kind: 'log_pointer', ttl }] : []
  return [
    ...pointerBy('actor', named?.actor_id),
    ...pointerBy('email', named?.actor_email),
    ...(stream === 'change' ? pointerBy('object', objectIdOf(entry)) : []),
  ]
}

/** The item of an entry, and the pointers to it. */
export function logItems(account: string, stream: Stored, id: string, micros: number, entry: Entry): Item[] {
  const ttl = logTtl(stream, micros)
  return [
    {
      pk: logPartition(account, stream, dayOf(micros)),
      sk: id,
      kind: 'log',
      ttl,
      type: stream,
      log_id: id,
      timestamp: timestamp(micros),
      ...entry,
    },
    ...pointerItems(account, stream, { id, ttl }, entry),
  ]
}

type ApiRequest = Origin & {
  actor_id: string
  api_token_id: string | null
  method: string
  path: string
  content_length: number | null
  request_id: string
}

/** Stores the entry of a request to the account API (L7.3). */
export async function recordApiRequest(account: string, entry: ApiRequest): Promise<void> {
  const now = clock.now()
  await insertTogether(logItems(account, 'api_request', logId('api_request', now), now, entry))
}
