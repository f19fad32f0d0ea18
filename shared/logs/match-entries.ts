import type { Attribution } from './flows/attribution.ts'
import { type LogStream, logStreams, parseLogId } from './log-id.ts'
import { retentionMicros } from './log-keys.ts'
import type { LogQuery } from './log-query.ts'
import type { LogItem } from './part-reader.ts'
import type { AttributionReader } from './render-entries.ts'

export type Window = { begin: number; end: number }

/** Picks the entries that match out of some of the walk's. */
export type Match = (items: LogItem[]) => Promise<LogItem[]>

type Kept = (item: LogItem) => boolean

/**
 * Whether an entry is within its retention (L1.1). That counts from its timestamp: the time of its id, and for a flow
 * the ingest of its first report. Its row can outlive that, and the setting can have changed since it was written.
 */
export function withinRetention(now: number): Kept {
  const oldest = new Map(logStreams.map((stream) => [stream, now - retentionMicros(stream)]))
  return (item) => {
    const { stream, micros } = parseLogId(item.sk) as { stream: LogStream; micros: number }
    return (stream === 'flow' ? Number(item.at) : micros) > (oldest.get(stream) as number)
  }
}

/** Whether `[start, flowEnd)` meets `[begin, end]`; an open flow has no end, one that ends before its start is an instant. */
export function overlaps(start: number, flowEnd: number | bigint | undefined, { begin, end }: Window): boolean {
  if (start > end) return false
  if (flowEnd === undefined) return true
  return flowEnd <= start ? start >= begin : flowEnd > begin
}

/** Who an entry's snapshot names (L2.6). */
function actorOf(item: LogItem, attributions: Map<string, Attribution | undefined>): { id: unknown; email: unknown } {
  const stream = parseLogId(item.sk)?.stream
  if (stream === 'flow') {
    return { id: item.actor, email: attributions.get(String(item.auth))?.initiator_actor_email }
  }
  if (stream === 'api_request') return { id: item.actor_id, email: undefined }
  const subject = item.subject as { actor_id?: string; actor_email?: string } | null
  return { id: subject?.actor_id, email: subject?.actor_email }
}

/** Retention (L1), overlap of flows with the window (L2.4), and the actor filters (L2.6). */
export function matcher(
  { actorId, actorEmail }: LogQuery,
  window: Window,
  now: number,
  attributionsOf: AttributionReader,
): Match {
  const kept = withinRetention(now)
  const matches = (item: LogItem, attributions: Map<string, Attribution | undefined>): boolean => {
    if (!kept(item)) return false
    const { stream, micros } = parseLogId(item.sk) as { stream: LogStream; micros: number }
    if (stream === 'flow' && !overlaps(micros, item.fend as number | bigint | undefined, window)) return false
    // A pointer that was not followed was found under the name that is asked for.
    if ((actorId === null && actorEmail === null) || item.pointer) return true
    const actor = actorOf(item, attributions)
    return (actorId === null || actor.id === actorId) && (actorEmail === null || actor.email === actorEmail)
  }
  return async (items) => {
    const attributions = actorEmail === null ? new Map() : await attributionsOf(items)
    return items.filter((item) => matches(item, attributions))
  }
}
