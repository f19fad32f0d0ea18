import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { encodeBlocks } from '#shared/logs/blocks/block-content.ts'
import { encodeFile, fileLimits } from '#shared/logs/files/parquet-writer.ts'
import { reportRow } from '#shared/logs/flows/packing.ts'
import { flowIds } from '#shared/logs/flows/stored-flow.ts'
import { cpuUnit, secondOfCpu } from '#test/support/largest/cpu-cost.ts'
import { realisticFlows, realisticReports } from '#test/support/logs/realistic-flows.ts'
import { flowRequests, flowUsage } from '../costs/flow-usage.ts'
import { prices } from '../costs/prices.ts'
import { consumerCosts } from '../flows/consumer.ts'
import { sampleClaims } from '../measure/sample-reports.ts'
import { sum, usdOf } from '../measure/usage.ts'
import { verdict } from '../measure/verdict.ts'
import type { ProcessReport } from './flush-process.ts'
import { archiveObjects, bytesOfFiles, changeUsage, flushUsage, idleObjects, plantHourOfBlocks } from './flush-usage.ts'
import { histogramCosts, pageCosts, type ReadCost, recentCosts } from './traffic.ts'

type Print = (text: string) => unknown

const million = 1_000_000
const monthDays = 365.25 / 12
const goal = (text: string, isMet: boolean): string => verdict('R14', text, isMet)

async function printCosts(print: Print): Promise<void> {
  // Compiles the code of the flush before it is measured.
  await flushUsage(100, 5_000)
  for (const [reports, flows] of flowRequests) {
    const { usage, blockBytes, fileBytes } = await flushUsage(reports)
    const used = usdOf(sum([await flowUsage(reports, flows), 1], [usage, 1])) * million
    const blocks = (blockBytes / 1_000) * (14 / monthDays) * (prices.tableGbMonth + prices.pointInTimeGbMonth)
    const files = (fileBytes / 1_000) * (30 / monthDays) * prices.bucketGbMonth
    const parts = `of which ${(usdOf(usage) * million).toFixed(3)} to flush and ${(blocks + files).toFixed(3)} to keep`
    const [usd, max] = [used + blocks + files, reports === 10 ? 0.65 : 0.3]
    print(
      goal(
        `a million flows, ${reports} reports per request: ${usd.toFixed(3)} USD, ${parts} (≤ ${max.toFixed(2)})`,
        usd <= max,
      ),
    )
  }
  const entries = usdOf(await changeUsage(10_000)) * million
  print(goal(`a million changes archived: ${entries.toFixed(3)} USD (≤ 0.10)`, entries <= 0.1))
  const { objects, signatures } = await idleObjects()
  print(goal(`an idle account: ${objects} objects, ${signatures} signatures (0)`, objects + signatures === 0))
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
  const isSmall = open <= 30 && closed <= 65 && file <= 85
  const blocks = `block ${open.toFixed(1)} open (≤ 30), ${closed.toFixed(1)} closed (≤ 65)`
  print(goal(`bytes of a flow: ${blocks}, file ${file.toFixed(1)} (≤ 85)`, isSmall))
  const unit = await cpuUnit()
  const [{ cpuMs, flows } = { cpuMs: Number.NaN, flows: 1 }] = await consumerCosts(10_000)
  const micros = ((cpuMs * 1_000) / flows / unit / secondOfCpu) * million
  print(goal(`storing a report: ${micros.toFixed(1)} µs of CPU (≤ 60)`, micros <= 60))
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
  const objects = await archiveObjects(account)
  const memory = `${flush.megabytes.toFixed(0)} MB (≤ 700)`
  const files = `${objects.length} objects, ${(bytesOfFiles(objects) / million).toFixed(1)} MB`
  print(`  an hour of ${flows.toLocaleString('en-US')} flows: ${files}\n`)
  print(
    goal(
      `flush of a million flows: ${seconds.toFixed(1)} s of CPU (≤ 60), ${memory}`,
      seconds <= 60 && flush.megabytes <= 700,
    ),
  )
  const { rows, seconds: verified, megabytes, again } = await inProcess('verify', account, begin)
  const perSecond = rows / verified
  const growth = again / megabytes
  print(
    goal(
      `verify: ${perSecond.toFixed(0)} rows per second of CPU (≥ 20,000), ${megabytes.toFixed(0)} MB, ${growth.toFixed(2)} times as much for twice the rows`,
      perSecond >= 20_000 && growth <= 1.1,
    ),
  )
}

const units = ({ units: read }: ReadCost): string => `${read} read units`
const requests = ({ requests: sent, objects }: ReadCost): string => `${sent} requests for ${objects} objects`
const time = ({ p99 }: ReadCost): string => `p99 ${(p99 / 1_000).toFixed(2)} s`

async function printPages(print: Print): Promise<void> {
  const { all, frequent, rare } = await pageCosts()
  const line = (what: string, cost: ReadCost, max: { objects?: number; units: number }) => {
    const limits = max.objects === undefined ? `≤ ${max.units}` : `≤ ${max.objects}, ≤ ${max.units}`
    const isMet = cost.objects <= (max.objects ?? Number.POSITIVE_INFINITY) && cost.units <= max.units
    print(goal(`${what}: ${requests(cost)}, ${units(cost)} (${limits}), ${time(cost)}`, isMet))
  }
  line('page of 50 flushed flows', all, { objects: 12, units: 30 })
  line('page of a frequent device', frequent, { objects: 20, units: 60 })
  line('page of a device with 3 flows in 30 days', rare, { units: 2_000 })
}

async function printHistograms(print: Print): Promise<void> {
  for (const values of [800, 1_000]) {
    const { totals, by, filtered } = await histogramCosts(values)
    const of = `30,000,000 flows of ${values} actors`
    print(goal(`histogram of ${of}: ${units(totals)} (≤ 60), ${time(totals)}`, totals.units <= 60))
    print(goal(`by=actor of ${of}: ${units(by)} (≤ 1,100), ${time(by)}`, by.units <= 1_100))
    print(goal(`one filter of ${of}: ${units(filtered)} (≤ 1,100), ${time(filtered)}`, filtered.units <= 1_100))
  }
  for (const [rate, max] of [
    [12, 700],
    [100, 6_000],
  ] as const) {
    const { flows, histogram, page } = await recentCosts(rate)
    const of = `${flows.toLocaleString('en-US')} flows after the watermark (${rate} per second)`
    print(goal(`histogram of ${of}: ${units(histogram)} (≤ ${max}), ${time(histogram)}`, histogram.units <= max))
    print(goal(`first page of ${of}: ${units(page)} (≤ 300), ${time(page)}`, page.units <= 300))
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
