import { plot, rectY, ruleY } from '@observablehq/plot'
import type { Bucket } from './buckets.ts'

/** Size of the plot and its margins in pixels. */
type PlotArea = { width: number; height: number; left: number; right: number; bottom: number }

type Options = {
  buckets: Bucket[]
  colors: string[]
  frame: PlotArea
  isUtc: boolean
  timeText: (time: Date) => string
  amountText: (amount: number) => string
}

/** Draws stacked columns. This file is loaded alone, because the library is large, and therefore imports nothing else of the console. */
export function drawColumns({ buckets, colors, frame, isUtc, timeText, amountText }: Options): Element {
  const data = buckets.flatMap(({ begin, end, amounts }) =>
    // Heights are rounded to 53 bits. The legend and the table show the exact numbers.
    amounts
      .slice(0, colors.length)
      .map((amount, index) => ({ begin: new Date(begin), end: new Date(end), amount: Number(amount), index })),
  )
  // An axis that ends at 0 would draw columns of nothing in full height.
  const end = Math.max(1, ...buckets.map(({ total }) => Number(total)))
  const { width, height, left: marginLeft, right: marginRight, bottom: marginBottom } = frame
  const chart = plot({
    ...{ width, height, marginLeft, marginRight, marginBottom },
    x: { type: isUtc ? 'utc' : 'time', label: null, tickFormat: timeText },
    y: { grid: true, label: null, ticks: Math.min(4, end), tickFormat: amountText, domain: [0, end] },
    color: { type: 'ordinal', domain: colors.map((_, index) => index), range: colors },
    marks: [rectY(data, { x1: 'begin', x2: 'end', y: 'amount', fill: 'index', insetRight: 1 }), ruleY([0])],
  })
  chart.setAttribute('aria-hidden', 'true')
  return chart
}
