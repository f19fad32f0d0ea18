import { expect, it } from 'vitest'
import { sourcesBelow } from '#test/support/run/imports.ts'

/** Matches code that reads the time or waits without the service's clock (shared/core/clock.ts). Tests can advance only that clock. */
const pastTheClock = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bperformance\.(now|timeOrigin)\b/,
  /from 'node:timers\/promises'/,
  /setTimeout\(\s*(resolve|\(\) => resolve\(\))/,
]

/** True for the clock itself and for the console, which runs in a browser, whose clock Playwright can move. */
const isExempt = (file: string): boolean => file === 'shared/core/clock.ts' || file.startsWith('functions/console/')

const readingPast = (sources: Map<string, string>): string[] =>
  [...sources].filter(([, text]) => pastTheClock.some((form) => form.test(text))).map(([file]) => file)

it('functions and rooms use the clock for time and waits', () => {
  const sources = new Map([...sourcesBelow('functions'), ...sourcesBelow('shared')])
  expect(readingPast(sources).filter((file) => !isExempt(file))).toEqual([])
})

it('detects each way around the clock', () => {
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
