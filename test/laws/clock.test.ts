import { expect, it } from 'vitest'
import { sourcesBelow } from '#test/support/run/imports.ts'

/** The time of the engine, read past the service's clock (shared/core/clock.ts), and waits that a test cannot pass. */
const pastTheClock = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bperformance\.(now|timeOrigin)\b/,
  /from 'node:timers\/promises'/,
  /setTimeout\(\s*(resolve|\(\) => resolve\(\))/,
]

/** The clock itself, and what measures it against the clock of others. */
const exempt = ['shared/core/clock.ts']

const readingPast = (sources: Map<string, string>): string[] =>
  [...sources].filter(([, text]) => pastTheClock.some((form) => form.test(text))).map(([file]) => file)

it('functions and rooms get the time from the clock, and wait by it', () => {
  const sources = new Map([...sourcesBelow('functions'), ...sourcesBelow('shared')])
  expect(readingPast(sources).filter((file) => !exempt.includes(file))).toEqual([])
})

it('finds each way past the clock', () => {
  const ways = [
    'const now = Date.now()',
    'const now = Date.now',
    'new Date().toISOString()',
    'performance.now()',
    "import { setTimeout as sleep } from 'node:timers/promises'",
    'new Promise((resolve) => setTimeout(resolve, 5))',
  ]
  const planted = new Map(ways.map((text, index) => [`shared/core/${index}.ts`, text]))
  expect(readingPast(planted)).toEqual([...planted.keys()])
  expect(
    readingPast(new Map([['a', 'const timer = setTimeout(() => request.destroy(), 5)\nnew Date(millis)']])),
  ).toEqual([])
})
