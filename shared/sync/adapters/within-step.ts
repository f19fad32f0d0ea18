import { waiting } from '../../core/work/waiting.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { ProviderFault } from '../provider-fault.ts'

/**
 * Sends nothing more after the end of a step. A call of many requests would otherwise outlast its step and delay other
 * runs.
 * @param deadline in milliseconds since 1970
 */
export const withinStep =
  (fetch: GuardedFetch, deadline: number): GuardedFetch =>
  async (...request) => {
    if (waiting.now() >= deadline) throw new ProviderFault('again', 'A call took longer than a step of the run has.')
    return fetch(...request)
  }
