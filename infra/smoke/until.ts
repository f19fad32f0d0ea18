import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until `look` finds something. @throws Error with `missing` after the seconds, or at once when the run is stopped */
export async function until<T>(
  { stop, seconds, missing }: { stop: AbortSignal; seconds: number; missing: string },
  look: () => Promise<T | null>,
): Promise<T> {
  const end = performance.now() + seconds * 1_000
  for (let pauseMs = 100; ; pauseMs = Math.min(5_000, pauseMs * 1.5)) {
    stop.throwIfAborted()
    const found = await look()
    if (found !== null) return found
    if (performance.now() > end) throw new Error(`${missing} within ${seconds} s`)
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
  }
}
