import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until a condition holds.
 * @throws Error after ten seconds
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('The condition was not met within ten seconds.')
    await sleep(10)
  }
}
