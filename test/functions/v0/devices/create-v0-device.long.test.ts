import { afterEach, expect, it, vi } from 'vitest'
import { v0DevicesAtOnce } from '#test/support/accounts/v0.ts'

afterEach(() => vi.unstubAllEnvs())

it('assigns 200 concurrent devices distinct addresses', async () => {
  const devices = await v0DevicesAtOnce(200)
  for (const field of ['ipv4', 'ipv6']) expect(new Set(devices.map((device) => device[field])).size, field).toBe(200)
})
