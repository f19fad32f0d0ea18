import { afterAll, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { passwordCost } from '#shared/core/password-hash.ts'
import { discovery } from '#shared/domain/auth-providers/discovery.ts'

const { read } = discovery
const cost = { ...passwordCost }

/** Test files share processes: what one has replaced ends with it. */
afterAll(() => {
  // The samples replace this one without a spy, since the bench uses them too.
  discovery.read = read
  Object.assign(passwordCost, cost)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  // The service's clock never goes back; after a jump ahead the next file gets another one.
  if (clock.now() > (Date.now() + 1_000) * 1_000) vi.resetModules()
})
