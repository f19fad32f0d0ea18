import { instantOf, streamOf } from './entries/log-id.ts'
import { retentionMicros } from './entries/log-keys.ts'
import { objectIdOf, readEntry } from './entries/log-store.ts'
import { actorOf } from './flows/merge-flows.ts'
import type { ChangeFilters, LogQuery } from './log-query.ts'
import type { LogItem } from './part-reader.ts'
import { type AttributionReader, type Attributions, emailOf, isFlow } from './render-entries.ts'

export type Window = { begin: number; end: number }

export type EntryMatcher = (items: LogItem[]) => Promise<LogItem[]>

/**
 * Returns a predicate for entries within their retention (L1.1). The retention starts at the time in the id or, for flows, at the first
 * ingest. Expired items can still exist, because DynamoDB deletes them late and the retention setting can change.
 */
export function withinRetention(now: number): (item: Pick<LogItem, 'sk' | 'at'>) => boolean {
  const oldestFlow = now - retentionMicros('flow')
  const oldest = now - retentionMicros('change')
  return ({ sk, at }) => (streamOf(sk) === 'flow' ? Number(at) > oldestFlow : instantOf(sk) > oldest)
}

/** True if the flow `[start, flowEnd)` overlaps the window (L2.4). A flow that ends at or before its start is treated as an instant. */
export function windowsOverlap(start: number, flowEnd: number | undefined, { begin, end }: Window): boolean {
  if (start > end) return false
  if (flowEnd === undefined) return true
  return flowEnd <= start ? start >= begin : flowEnd > begin
}

type Entry = Record<string, unknown>
type Related = { actor: unknown; email?: unknown; object?: unknown; entry?: Entry }

/** True if an entry has the value of each filter that is present (K11.G7). */
const matchesFilters = (entry: Entry, filters: ChangeFilters): boolean =>
  Object.entries(filters).every(([name, value]) => value === null || entry[name] === value)

/** Returns the actor, the email and the object that an entry names, and the entry unless it is a flow. */
function relatedTo(item: LogItem, attributions: Attributions): Related {
  if (isFlow(item)) return { actor: actorOf(item), email: emailOf(item, attributions) }
  const stream = streamOf(item.sk)
  const entry = readEntry(item)
  if (stream === 'api_request') return { actor: entry.actor_id, entry }
  return { actor: entry.subject?.actor_id, email: entry.subject?.actor_email, object: objectIdOf(entry), entry }
}

/** Builds the filter for a query: retention (L1), actor (L2.6), object (L2.8) and filters of changes (K11.G7). */
export function matcher(
  { actorId, actorEmail, objectId, changeFilters }: LogQuery,
  now: number,
  attributionsOf: AttributionReader,
): EntryMatcher {
  const isWithinRetention = withinRetention(now)
  const matches = (item: LogItem, attributions: Attributions): boolean => {
    if (!isWithinRetention(item)) return false
    // An unresolved pointer always matches, because its partition contains only pointers for the queried actor, email or object.
    if (item.pointer) return true
    if (actorId === null && actorEmail === null && objectId === null && !changeFilters) return true
    const { actor, email, object, entry = {} } = relatedTo(item, attributions)
    return (
      (actorId === null || actor === actorId) &&
      (actorEmail === null || email === actorEmail) &&
      (objectId === null || object === objectId) &&
      (!changeFilters || matchesFilters(entry, changeFilters))
    )
  }
  return async (items) => {
    const attributions = actorEmail === null ? new Map() : await attributionsOf(items)
    return items.filter((item) => matches(item, attributions))
  }
}
