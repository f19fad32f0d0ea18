import { clock } from '../clock.ts'

/** Waits for work that never throws, but at most `ms` milliseconds. Returns true if the work has ended. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const ended = work.then(() => true).finally(() => timer.abort())
  return Promise.race([
    ended,
    clock.sleep(ms, timer.signal).then(
      () => false,
      () => ended,
    ),
  ])
}
