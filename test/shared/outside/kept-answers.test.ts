import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeptAnswers } from '#shared/outside/kept-answers.ts'
import { OutsideError } from '#shared/outside/outside-error.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('caches values for their time to live', () => {
  const kept = new KeptAnswers<string>({ ms: 1_000, most: 10 })
  expect(kept.get('a')).toBeNull()
  kept.keep('a', 'first')
  vi.advanceTimersByTime(999)
  expect(kept.get('a')).toBe('first')
  vi.advanceTimersByTime(1)
  expect(kept.get('a')).toBeNull()
})

it('evicts only the oldest entry when it is full', () => {
  const kept = new KeptAnswers<number>({ ms: 1_000, most: 3 })
  for (const [i, question] of ['a', 'b', 'c', 'a', 'd'].entries()) kept.keep(question, i)
  // Expects that a refreshed entry counts as new.
  expect(['a', 'b', 'c', 'd'].map((question) => kept.get(question))).toEqual([3, null, 2, 4])
  for (let i = 0; i < 1_000; i++) kept.keep(`other ${i}`, i)
  expect(['a', 'c', 'd', 'other 996', 'other 997'].map((question) => kept.get(question))).toEqual([
    null,
    null,
    null,
    null,
    997,
  ])
})

/** Fakes a provider whose responses the test sends on demand. */
function provider() {
  const requests: PromiseWithResolvers<string>[] = []
  const ask = () => {
    const question = Promise.withResolvers<string>()
    requests.push(question)
    return question.promise
  }
  return { asked: requests, ask }
}
const outcome = (answer: Promise<string>) =>
  answer.catch((error: Error) => (error instanceof OutsideError ? error.reason : error.message))

it('sends one request for concurrent callers, and another one for later callers', async () => {
  const questions = new KeptAnswers<string>({ ms: 0, most: 1 })
  const { asked, ask } = provider()
  const answers = Array.from({ length: 50 }, () => questions.ask('q', ask, 1_000))
  asked[0]?.resolve('a')
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['a']))
  expect(asked).toHaveLength(1)
  const later = questions.ask('q', ask, 1_000)
  asked[1]?.resolve('b')
  expect(await later).toBe('b')
  expect(vi.getTimerCount()).toBe(0)
})

it("applies each caller's own timeout to the shared request", async () => {
  const questions = new KeptAnswers<string>({ ms: 0, most: 1 })
  const { asked, ask } = provider()
  const short = outcome(questions.ask('q', ask, 100))
  const long = outcome(questions.ask('q', ask, 1_000))
  const shorter = outcome(questions.ask('q', ask, 50))
  await vi.advanceTimersByTimeAsync(100)
  expect(await Promise.all([short, shorter])).toEqual(['timeout', 'timeout'])
  // Expects that a caller's timeout does not cancel the request that others share.
  asked[0]?.resolve('a')
  expect(await long).toBe('a')
  expect(asked).toHaveLength(1)
})

it('does not share the failure of an earlier request with later callers', async () => {
  const questions = new KeptAnswers<string>({ ms: 0, most: 1 })
  const { asked, ask } = provider()
  const first = outcome(questions.ask('q', ask, 1_000))
  const others = [1, 2, 3].map(() => outcome(questions.ask('q', ask, 1_000)))
  asked[0]?.reject(new Error('down'))
  expect(await first).toBe('down')
  await vi.advanceTimersByTimeAsync(0)
  // Expects that the three callers share a new request.
  expect(asked).toHaveLength(2)
  asked[1]?.resolve('up again')
  expect(await Promise.all(others)).toEqual(['up again', 'up again', 'up again'])
  const again = outcome(questions.ask('q', ask, 1_000))
  const last = outcome(questions.ask('q', ask, 1_000))
  asked[2]?.reject(new Error('down'))
  await vi.advanceTimersByTimeAsync(0)
  asked[3]?.reject(new Error('still down'))
  expect(await Promise.all([again, last])).toEqual(['down', 'still down'])
  expect(asked).toHaveLength(4)
})
