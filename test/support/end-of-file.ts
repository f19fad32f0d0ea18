import { afterAll, vi } from 'vitest'
import { clock } from '#shared/clock.ts'

/** Test files share processes: what one has replaced ends with it. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  // The service's clock never goes back; after a jump ahead the next file gets another one.
  if (clock.now() > (Date.now() + 1_000) * 1_000) vi.resetModules()
})
