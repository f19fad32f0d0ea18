import { expect, it } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { Chunks } from '#shared/sync/read/chunks.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

const inAnHour = () => Math.ceil(clock.now() / 1e6) + 3_600

const half = (letter: string) => Array.from({ length: 20 }, (_, i) => `${letter}${i}`.padEnd(100_000, letter))

it('caches chunks, and evicts the oldest to stay within its capacity', async () => {
  const chunks = new Chunks(uuidV7(clock.now()), 'source', inAnHour())
  const [small = ''] = await chunks.put(['one'])
  const halves = [await chunks.put(half('a')), await chunks.put(half('b'))].flat()
  const readsOf = async (digest: string) => (await measure(() => chunks.get(digest))).reads
  expect(await readsOf(small)).toBeGreaterThan(0)
  expect(await readsOf(small)).toBe(0)
  for (const digest of halves) expect(await readsOf(digest)).toBeGreaterThan(0)
  expect(await readsOf(small)).toBeGreaterThan(0)
  expect(await readsOf(halves.at(-1) as string)).toBe(0)
  expect(await chunks.get(small)).toEqual(['one'])
})
