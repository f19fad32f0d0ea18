import { afterEach, expect, it, vi } from 'vitest'
import { accessCosts } from './access.ts'

afterEach(() => vi.unstubAllEnvs())

it('heartbeats and decisions cost the same in a large account as in a small one', { timeout: 600_000 }, async () => {
  // Lengthens leases, so that they outlast the test on a slow machine.
  vi.stubEnv('HEARTBEAT_SECS', '3600')
  for (const { name, few, many } of await accessCosts(10, 300)) {
    expect(many.requests, name).toBe(few.requests)
    expect(many.reads, name).toBeLessThanOrEqual(1.1 * few.reads)
    expect(many.writes, name).toBeLessThanOrEqual(1.1 * few.writes)
    expect(few.reads, name).toBeGreaterThan(0)
  }
})
