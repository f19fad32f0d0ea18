import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeptAnswers } from '#shared/outside/kept-answers.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('keeps what was read for its time', () => {
  const kept = new KeptAnswers<string>({ ms: 1_000, most: 10 })
  expect(kept.get('a')).toBeNull()
  kept.keep('a', 'first')
  vi.advanceTimersByTime(999)
  expect(kept.get('a')).toBe('first')
  vi.advanceTimersByTime(1)
  expect(kept.get('a')).toBeNull()
})

it('lets the oldest go when it is full, and nothing else', () => {
  const kept = new KeptAnswers<number>({ ms: 1_000, most: 3 })
  for (const [i, question] of ['a', 'b', 'c', 'a', 'd'].entries()) kept.keep(question, i)
  // What was read anew is new.
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
