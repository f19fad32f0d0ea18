import { useEffect } from 'react'
import { isAffected } from '../client/affected.ts'
import { queryClient } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { input } from '../session/idle.ts'
import { hasScope, useSession } from '../session/session.ts'

/** Milliseconds between two pulses, those after five minutes without input, and the imprecision of timers (K5.7). */
const interval = 15_000
const slowInterval = 60_000
const tolerance = 1000
const idleAfter = 5 * 60_000

/** Maximum number of pulses at which the change log is read, because its entries can lag (A8.1). */
const maxReads = 3

/** Maximum number of changes that are read. More changes, and the first of a tab, refetch everything visible. */
const maxEntries = 100

type Entry = { log_id: string; timestamp: string; object: string }

/** Reads the entries after one, newest first. */
async function readEntries(after: Entry | undefined, limit: number): Promise<Entry[]> {
  const query = { type: 'change' as const, total_limit: 0, limit, ...(after && { begin: after.timestamp }) }
  const { answer } = await send('GET /logs', { path: {}, query })
  const entries = answer.data as Entry[]
  return after ? entries.filter(({ log_id }) => log_id > after.log_id) : entries
}

/** Refetches the visible queries that changes of others concern, within seconds, while the tab is visible (K5.7). */
export function usePulse(): void {
  const session = useSession()
  useEffect(() => {
    const { change_count } = session
    if (change_count === null) return
    const canRead = hasScope(session, 'logs', 'read')
    let lastCount = change_count
    let missing = 0
    let reads = 0
    let lastPulse = Date.now()
    let latest: Entry | undefined
    const readChanges = async () => {
      reads -= 1
      const isAll = !canRead || !latest || missing > maxEntries
      const entries = isAll ? [] : await readEntries(latest, maxEntries)
      latest = (canRead && isAll ? await readEntries(undefined, 1) : entries)[0] ?? latest
      missing = isAll ? 0 : missing - entries.length
      const objects = new Set(entries.map(({ object }) => object))
      await queryClient.invalidateQueries({
        predicate: ({ queryKey: [route, , query] }) =>
          isAll ||
          objects.values().some((object) => isAffected(String(route), object, query as { type?: unknown } | undefined)),
      })
    }
    const pulse = async () => {
      const now = Date.now()
      const isIdle = now - input.last >= idleAfter
      if (document.hidden || now - lastPulse < (isIdle ? slowInterval : interval) - tolerance) return
      lastPulse = now
      const { data } = (await send('GET /sign_in/session', { path: {} })).answer
      const count = data.change_count ?? lastCount
      if (count > lastCount) {
        missing = Math.max(missing, 0) + count - lastCount
        reads = maxReads
      }
      lastCount = count
      if (missing > 0 && reads > 0) await readChanges()
    }
    // Ignores failures, because the next pulse repeats the read and the requests of the screen report an end of the session.
    const run = () => void pulse().catch(() => undefined)
    const timer = setInterval(run, interval)
    document.addEventListener('visibilitychange', run)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', run)
    }
  }, [session])
}
