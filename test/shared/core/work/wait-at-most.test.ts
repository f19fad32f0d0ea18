import { expect, it } from 'vitest'
import { waitAtMost } from '#shared/core/work/wait-at-most.ts'

it('returns true when the work ends in time, without waiting longer', async () => {
  const order: string[] = []
  const waiting = waitAtMost(60_000, Promise.resolve()).then((ended) => order.push(`ended: ${ended}`))
  await waiting
  expect(order).toEqual(['ended: true'])
})

it('returns false when the work does not end', async () => {
  expect(await waitAtMost(1, new Promise(() => {}))).toBe(false)
})
