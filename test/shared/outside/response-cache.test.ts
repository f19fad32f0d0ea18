import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OutsideError } from '#shared/outside/outside-error.ts'
import { ResponseCache } from '#shared/outside/response-cache.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('caches values for their time to live', () => {
  const cache = new ResponseCache<string>({ ms: 1_000, maxEntries: 10 })
  expect(cache.get('a')).toBeNull()
  cache.set('a', 'first')
  vi.advanceTimersByTime(999)
  expect(cache.get('a')).toBe('first')
  vi.advanceTimersByTime(1)
  expect(cache.get('a')).toBeNull()
})

it('evicts only the oldest entry when it is full', () => {
  const cache = new ResponseCache<number>({ ms: 1_000, maxEntries: 3 })
  for (const [i, key] of ['a', 'b', 'c', 'a', 'd'].entries()) cache.set(key, i)
  // Expects that storing `a` again makes it newer than `b`.
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([3, null, 2, 4])
  for (let i = 0; i < 1_000; i++) cache.set(`other ${i}`, i)
  expect(['a', 'c', 'd', 'other 996', 'other 997'].map((key) => cache.get(key))).toEqual([null, null, null, null, 997])
})

function provider() {
  const requests: PromiseWithResolvers<string>[] = []
  const fetch = () => {
    const request = Promise.withResolvers<string>()
    requests.push(request)
    return request.promise
  }
  return { requests, fetch }
}
const outcome = (answer: Promise<string>) =>
  answer.catch((error: Error) => (error instanceof OutsideError ? error.reason : error.message))

it('sends one request for concurrent callers, and another one for later callers', async () => {
  const cache = new ResponseCache<string>({ ms: 0, maxEntries: 1 })
  const { requests, fetch } = provider()
  const responses = Array.from({ length: 50 }, () => cache.getOrFetch('q', fetch, 1_000))
  requests[0]?.resolve('a')
  expect(new Set(await Promise.all(responses))).toEqual(new Set(['a']))
  expect(requests).toHaveLength(1)
  const later = cache.getOrFetch('q', fetch, 1_000)
  requests[1]?.resolve('b')
  expect(await later).toBe('b')
  expect(vi.getTimerCount()).toBe(0)
})

it("applies each caller's own timeout to the shared request", async () => {
  const cache = new ResponseCache<string>({ ms: 0, maxEntries: 1 })
  const { requests, fetch } = provider()
  const short = outcome(cache.getOrFetch('q', fetch, 100))
  const long = outcome(cache.getOrFetch('q', fetch, 1_000))
  const shorter = outcome(cache.getOrFetch('q', fetch, 50))
  await vi.advanceTimersByTimeAsync(100)
  expect(await Promise.all([short, shorter])).toEqual(['timeout', 'timeout'])
  // Expects that a caller's timeout does not cancel the request that others share.
  requests[0]?.resolve('a')
  expect(await long).toBe('a')
  expect(requests).toHaveLength(1)
})

it('does not share the failure of an earlier request with later callers', async () => {
  const cache = new ResponseCache<string>({ ms: 0, maxEntries: 1 })
  const { requests, fetch } = provider()
  const first = outcome(cache.getOrFetch('q', fetch, 1_000))
  const others = [1, 2, 3].map(() => outcome(cache.getOrFetch('q', fetch, 1_000)))
  requests[0]?.reject(new Error('down'))
  expect(await first).toBe('down')
  await vi.advanceTimersByTimeAsync(0)
  expect(requests).toHaveLength(2)
  requests[1]?.resolve('up again')
  expect(await Promise.all(others)).toEqual(['up again', 'up again', 'up again'])
  const again = outcome(cache.getOrFetch('q', fetch, 1_000))
  const last = outcome(cache.getOrFetch('q', fetch, 1_000))
  requests[2]?.reject(new Error('down'))
  await vi.advanceTimersByTimeAsync(0)
  requests[3]?.reject(new Error('still down'))
  expect(await Promise.all([again, last])).toEqual(['down', 'still down'])
  expect(requests).toHaveLength(4)
})
