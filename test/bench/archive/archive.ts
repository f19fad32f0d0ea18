import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { encodeBlocks } from '#shared/logs/blocks/block-content.ts'
import { fileLimits } from '#shared/logs/files/columns.ts'
import { encodeFile } from '#shared/logs/files/parquet-writer.ts'
import { reportRow } from '#shared/logs/flows/packing.ts'
import { flowIds } from '#shared/logs/flows/stored-flow.ts'
import { cpuUnit, secondOfCpu } from '#test/support/largest/cpu-cost.ts'
import { realisticFlows, realisticReports } from '#test/support/logs/realistic-flows.ts'
import { flowRequests, flowUsage } from '../costs/flow-usage.ts'
import { prices } from '../costs/prices.ts'
import { consumerCosts } from '../flows/consumer.ts'
import { sampleClaims } from '../measure/sample-reports.ts'
import { usdOf } from '../measure/usage.ts'
import { verdict } from '../measure/verdict.ts'
import type { ProcessReport } from './flush-process.ts'
import { changeUsage, flushUsage, idleObjects, plantHourOfBlocks } from './flush-usage.ts'
import { histogramCosts, pageCosts, type ReadCost, recentCosts } from './traffic.ts'

type Print = (text: string) => unknown
/** Measured value, its unit, and the goal: its maximum, or its minimum with `isMin`. */
type Figure = [value: number, unit: string, goal?: number, isMin?: 'min']

const million = 1_000_000
const monthDays = 365.25 / 12

const format = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 3 : value < 100 ? 1 : 0 })

/** Formats figures, and whether all of their goals are met (R14). */
function goal(what: string, ...figures: Figure[]): string {
  const texts = figures.map(([value, unit, limit, isMin]) => {
    const ofGoal = limit === undefined ? '' : ` (${isMin ? '≥' : '≤'} ${format(limit)})`
    return `${format(value)} ${unit}${ofGoal}`
  })
  const isMet = ([value, , limit = value, isMin]: Figure) => (isMin ? value >= limit : value <= limit)
  return verdict('R14', `${what}: ${texts.join(', ')}`, figures.every(isMet))
}

async function printCosts(print: Print): Promise<void> {
  // Compiles the code of the flush before it is measured.
  await flushUsage(100, 5_000)
  for (const [reports, flows] of flowRequests) {
    const { usage, blockBytes, fileBytes } = await flushUsage(reports)
    const reported = usdOf(await flowUsage(reports, flows)) * million
    const flushed = usdOf(usage) * million
    const blocks = (blockBytes / 1_000) * (14 / monthDays) * (prices.tableGbMonth + prices.pointInTimeGbMonth)
    const kept = blocks + (fileBytes / 1_000) * (30 / monthDays) * prices.bucketGbMonth
    const usd = reported + flushed + kept
    print(
      goal(
        `a million flows, ${reports} reports per request`,
        [usd, 'USD', reports === 10 ? 0.65 : 0.3],
        [reported, 'to report'],
        [flushed, 'to flush'],
        [kept, 'to keep 30 days'],
      ),
    )
  }
  print(goal('a million changes archived', [usdOf(await changeUsage(10_000)) * million, 'USD', 0.1]))
  const { objects, signatures } = await idleObjects()
  print(goal('an idle account', [objects, 'objects', 0], [signatures, 'signatures', 0]))
}

/** Bytes of a report in a block of 100, and of a flow in a full file. */
function bytesOfFlow(): { open: number; closed: number; file: number } {
  const reports = realisticReports(100)
  const at = reports.at(-1)?.closing?.flow_end ?? 0
  const batch = { ...flowIds(sampleClaims), ingested_at: at }
  const blockBytes = (all: typeof reports) => {
    const rows = all.map((report) => [0, ...reportRow(report, at)] as [number, ...ReturnType<typeof reportRow>])
    return encodeBlocks([batch], rows).reduce((bytes, { content }) => bytes + content.length, 0) / all.length
  }
  return {
    open: blockBytes(reports.map((report) => ({ ...report, closing: null }))),
    closed: blockBytes(reports),
    file: encodeFile('flow', realisticFlows(fileLimits.rows)).length / fileLimits.rows,
  }
}

async function printReports(print: Print): Promise<void> {
  const { open, closed, file } = bytesOfFlow()
  print(
    goal('bytes of a flow', [open, 'in an open block', 30], [closed, 'in a closed block', 65], [file, 'in a file', 85]),
  )
  const unit = await cpuUnit()
  const [, cost] = await consumerCosts()
  // Each flow of this cost has two reports.
  const micros = cost ? ((cost.cpuMs * 1_000) / (2 * cost.flows) / unit / secondOfCpu) * million : Number.NaN
  print(goal('storing a report', [micros, 'µs of CPU', 60]))
}

async function inProcess(work: 'flush' | 'verify', account: string, hour: number): Promise<ProcessReport> {
  const file = fileURLToPath(new URL('./flush-process.ts', import.meta.url))
  const child = fork(file, [work, account, String(hour)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.once('exit', (status) => status && child.emit('error', new Error(`The process ended with ${status}.`)))
  const [report] = await once(child, 'message')
  return report
}

async function printFlush(print: Print, flows: number): Promise<void> {
  const { account, begin } = await plantHourOfBlocks(flows, 100)
  const flush = await inProcess('flush', account, begin)
  const seconds = (flush.seconds * million) / flows
  print(
    goal(
      `flush of a million flows, measured with ${format(flows)}`,
      [seconds, 'seconds of CPU', 60],
      [flush.megabytes, 'MB', 700],
    ),
  )
  const { rows, ...verified } = await inProcess('verify', account, begin)
  print(
    goal(
      `verification of ${format(rows)} rows`,
      [rows / verified.seconds, 'rows per second of CPU', 20_000, 'min'],
      [verified.megabytes, 'MB'],
      [verified.again / verified.megabytes, 'times as much after twice the rows', 1.1],
    ),
  )
}

/** Prints the goals of a read. The duration has a line of its own, because it depends on the machine. */
function printRead(
  print: Print,
  what: string,
  cost: ReadCost,
  max: { units: number; objects?: number; p99?: number; cpu?: number },
) {
  print(goal(what, [cost.units, 'read units', max.units], [cost.requests, 'requests to the bucket', max.objects]))
  print(goal(`${what}, p99 on this machine`, [cost.p99, 'seconds', max.p99], [cost.cpu, 'seconds of CPU', max.cpu]))
}

async function printPages(print: Print): Promise<void> {
  const { all, frequent, rare } = await pageCosts()
  printRead(print, 'page of 50 flushed flows', all, { units: 30, objects: 12, p99: 1.5 })
  printRead(print, 'page of a frequent device', frequent, { units: 60, objects: 20, p99: 2.5 })
  printRead(print, 'page of a device with 3 flows in 30 days', rare, { units: 2_000, p99: 2.5 })
}

async function printHistograms(print: Print): Promise<void> {
  for (const [values, units] of [
    [800, 1_100],
    [1_000, 1_320],
  ] as const) {
    const { totals, by, filtered } = await histogramCosts(values)
    const of = `30,000,000 flows of ${format(values)} actors`
    printRead(print, `histogram of ${of}`, totals, { units: 60, p99: 1.5 })
    printRead(print, `histogram by actor of ${of}`, by, { units, p99: 1.5 })
    printRead(print, `histogram with a filter of ${of}`, filtered, { units, p99: 1.5 })
  }
  for (const [rate, units, cpu] of [
    [12, 700, undefined],
    [100, 6_000, 12],
  ] as const) {
    const { flows, histogram, page } = await recentCosts(rate)
    const of = `${format(flows)} flows after the watermark (${rate} per second)`
    printRead(print, `histogram of ${of}`, histogram, { units, cpu })
    printRead(print, `first page of ${of}`, page, { units: 300 })
  }
}

/** Measures the goals of the archive (R14), and prints whether each is met. Flushes an hour of `flows` flows. */
export async function printArchiveGoals(print: Print, flows = 300_000): Promise<void> {
  print('the goals of the archive:\n')
  await printCosts(print)
  await printReports(print)
  await printFlush(print, flows)
  await printPages(print)
  await printHistograms(print)
}
