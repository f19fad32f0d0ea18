import { waiting } from '../../core/work/waiting.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { ProviderFault } from '../provider-fault.ts'

/**
 * Sends nothing more once a step is over. A call that takes many requests would otherwise outlast its step, and hold up the
 * runs that wait for the next one.
 * @param deadline in milliseconds since 1970
 */
export const withinStep =
  (fetch: GuardedFetch, deadline: number): GuardedFetch =>
  async (...request) => {
    if (waiting.now() >= deadline) throw new ProviderFault('again', 'A call took longer than a step of the run has.')
    return fetch(...request)
  }
