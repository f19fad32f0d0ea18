import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { queueCommit } from '#shared/commit/commit.ts'

/** Queues commits that record their start order and the maximum number running at once. */
function crowd(accountId: string, size: number) {
  const begun: number[] = []
  let running = 0
  let maxRunning = 0
  const done = Promise.allSettled(
    Array.from({ length: size }, (_, i) =>
      queueCommit(accountId, async () => {
        begun.push(i)
        maxRunning = Math.max(maxRunning, ++running)
        await sleep(5)
        running--
        if (i % 3 === 0) throw new Error(`${i}`)
        return i
      }),
    ),
  )
  return done.then((results) => ({ results, begun, max: maxRunning }))
}

it('runs two tasks of an account at a time in the order of their calls, even if some fail', async () => {
  const { results, begun, max } = await crowd('a', 20)
  expect(max).toBe(2)
  expect(begun).toEqual(Array.from({ length: 20 }, (_, i) => i))
  expect(results.map(({ status }) => status)).toEqual(begun.map((i) => (i % 3 === 0 ? 'rejected' : 'fulfilled')))
})

it('does not block other accounts', async () => {
  let other = false
  await queueCommit('a', async () => {
    await Promise.all(Array.from({ length: 4 }, () => queueCommit('b', async () => (other = true))))
  })
  expect(other).toBe(true)
  expect((await crowd('a', 4)).max).toBe(2)
})
