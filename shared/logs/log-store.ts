import { clock, timestamp } from '../core/clock.ts'
import type { Origin } from '../core/subject.ts'
import type { Item } from '../table/keys.ts'
import { insertTogether } from '../table/statements.ts'
import { type LogStream, logId } from './log-id.ts'
import { dayOf, logPartition, logTtl, namedPartition } from './log-keys.ts'

type Named = { actor_id?: string | null; actor_email?: string | null }
type Entry = Named & { subject?: Named | null } & Record<string, unknown>
/** Flows are stored by their consumer. */
type Stored = Exclude<LogStream, 'flow'>

/** The item of an entry, and the pointers by which it is found under the actor that its snapshot names (L2.6). */
export function logItems(account: string, stream: Stored, id: string, micros: number, entry: Entry): Item[] {
  const ttl = logTtl(stream, micros)
  const named = stream === 'api_request' ? entry : entry.subject
  const pointerBy = (field: 'actor' | 'email', value: string | null | undefined): Item[] =>
    value ? [{ pk: namedPartition(account, stream, field, value), sk: id, kind: 'log_pointer', ttl }] : []
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
    ...pointerBy('actor', named?.actor_id),
    ...pointerBy('email', named?.actor_email),
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
