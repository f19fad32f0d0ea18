import { afterEach, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import type { AccessToken } from '#shared/sync/providers/call.ts'
import { tokenSource } from '#shared/sync/providers/tokens.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const counted = (lifetimeMs = 3_600_000) => {
  let made = 0
  const request = vi.fn(async () => ({ token: { text: `t${++made}`, type: 'bearer' } as AccessToken, lifetimeMs }))
  return { request, source: tokenSource(request) }
}

it('requests a token once for all waiting callers, and a new one before it expires', async () => {
  let now = 0
  vi.spyOn(clock, 'monotonic').mockImplementation(() => now)
  const { request, source } = counted()
  const all = await Promise.all([source.current(), source.current(), source.current()])
  expect(all.map(({ text }) => text)).toEqual(['t1', 't1', 't1'])
  now = 3_539_000
  expect((await source.current()).text).toBe('t1')
  now = 3_541_000
  expect((await source.current()).text).toBe('t2')
  expect(request).toHaveBeenCalledTimes(2)
})

it('requests a new token once after a drop', async () => {
  const { request, source } = counted()
  const first = await source.current()
  source.drop(first)
  const next = await Promise.all([source.current(), source.current()])
  expect(next.map(({ text }) => text)).toEqual(['t2', 't2'])
  // Drops the expired token again, as a concurrent call may do.
  source.drop(first)
  expect((await source.current()).text).toBe('t2')
  expect(request).toHaveBeenCalledTimes(2)
})

it('retries a failed request for the next caller', async () => {
  const { request, source } = counted()
  request.mockRejectedValueOnce(new Error('down'))
  await expect(source.current()).rejects.toThrow('down')
  expect((await source.current()).text).toBe('t1')
})
