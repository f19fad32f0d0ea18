import { expect, it } from 'vitest'
import { chromiumPath } from '#test/support/sign-in/browser.ts'
import { consoleCosts } from './console-costs.ts'

/** Maximum growth of the bytes of a screen from a small account to a large one (K10.3). */
const maxGrowth = 1.2

const chromium = chromiumPath()

it.skipIf(!chromium)(
  'each screen has the same requests and bytes in a large account as in a small one (K10.3)',
  async () => {
    const few = { actors: 100, entries: 1_000, days: 1 }
    const many = { actors: 2_000, entries: 20_000, days: 1 }
    const costs = await consoleCosts(chromium ?? '', { few, many })
    expect(costs.filter(({ few, many }) => few.requests !== many.requests)).toEqual([])
    expect(costs.filter(({ few, many }) => many.bytes > maxGrowth * few.bytes)).toEqual([])
    expect(Math.min(...costs.map(({ few }) => few.requests))).toBeGreaterThan(0)
  },
  300_000,
)
