import { randomUUID } from 'node:crypto'
import { clock, dayMicros, hourMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { type BufferedFlow, flowIds, flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { readHistogram } from '#shared/logs/traffic-answers.ts'
import { cpuUnit, measureCpu, secondOfCpu } from '#test/support/largest/cpu-cost.ts'
import { putArchiveState } from '#test/support/logs/archive.ts'
import { closeRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { realisticBegin, realisticFlows, toReport } from '#test/support/logs/realistic-flows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantBlocks } from '#test/support/table/plant-blocks.ts'
import { plantCounts } from '#test/support/table/plant-counts.ts'
import { plantFlows } from '#test/support/table/plant-flows.ts'
import { median } from '../measure/median.ts'
import { percentilesOf } from '../measure/percentiles.ts'
import { benchHour, flowsPerHour } from './flush-usage.ts'

/** Read units, requests to the bucket, and the seconds of a request: on this machine, and of CPU on a quiet machine. */
export type ReadCost = { units: number; requests: number; p99: number; cpu: number }

/** Measures a read of the archive once, and its duration and CPU in several runs. */
async function readCost(read: () => Promise<unknown>, runs = 20): Promise<ReadCost> {
  const { promises } = process.getBuiltinModule('node:fs')
  const { open } = promises
  let requests = 0
  // The folder that replaces the bucket opens a file for each request.
  Object.assign(promises, {
    open: (...args: Parameters<typeof open>) => {
      requests++
      return open(...args)
    },
  })
  const { reads: units } = await measure(read).finally(() => Object.assign(promises, { open }))
  const [times, cpu] = [[] as number[], [] as number[]]
  const unit = await cpuUnit()
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    cpu.push((await measureCpu(read)) / unit / secondOfCpu)
    times.push((performance.now() - start) / 1_000)
  }
  return { units, requests, p99: percentilesOf(times).p99, cpu: median(cpu) }
}

/** Sets the clock of the service to a time for the duration of `work`. */
async function atTime<T>(time: number, work: () => Promise<T>): Promise<T> {
  const { now } = clock
  clock.now = () => time
  return work().finally(() => {
    clock.now = now
  })
}

const days = 30
const firstHour = (): number =>
  Math.floor(clock.now() / dayMicros) * dayMicros - (days + 1) * dayMicros + 12 * hourMicros

/** Measures the histogram of 30,000,000 flows of 30 days, with as many actors as `values` in each hour. */
export async function histogramCosts(values: number) {
  const account = randomUUID()
  const begin = firstHour()
  const actors = Array.from({ length: values }, () => randomUUID())
  await plantCounts(account, { dimension: 'actor', values: actors, begin, days })
  const window = { begin: timestamp(begin), end: timestamp(begin + days * dayMicros) }
  const cost = (query: object) => readCost(() => readHistogram(account, new URLSearchParams({ ...window, ...query })))
  return atTime(begin + days * dayMicros + hourMicros / 2, async () => ({
    totals: await cost({}),
    by: await cost({ by: 'actor' }),
    filtered: await cost({ actor_id: actors[0] }),
  }))
}

/** Plants flows of 30 days: realistic flows in the last hour, and 20 in each other hour. Three flows are of a rare device. */
async function plantMonth(account: string, begin: number) {
  const [others, rare] = [await newFlowGrant(account), await newFlowGrant(account)]
  const [flows, added] = [[] as BufferedFlow[], new Map<number, string>()]
  const add = (claims: IngestClaims, report: FlowReport, fend: number) => {
    const sk = flowLogId(claims, report)
    flows.push({ sk, at: fend, fend, ids: flowIds(claims), report, storedAt: fend + 1_000_000, rank: '' })
  }
  const last = begin + days * dayMicros - hourMicros
  for (let hour = begin; hour < last; hour += hourMicros) {
    const isRare = (hour - begin) % (240 * hourMicros) === 100 * hourMicros
    if (isRare) added.set(hour, rare.attribution.initiator_device_id)
    for (let i = 0; i < 20; i++) {
      const start = hour + i * 60_000_000
      const times = { flow_start: timestamp(start), flow_end: timestamp(start + 1_000_000) }
      const { report } = checkFlowReport(closeRecord({ inner_src_port: i, ...times })) as { report: FlowReport }
      add((isRare && i === 10 ? rare : others).claims(), report, start + 1_000_000)
    }
  }
  const rows = realisticFlows(flowsPerHour, flowsPerHour)
  for (const row of rows) {
    const report = toReport(row, last - realisticBegin)
    if ((report.closing?.flow_end ?? 0) > last + 3_590_000_000) continue
    add({ ...row, account_id: account } as unknown as IngestClaims, report, report.closing?.flow_end ?? 0)
  }
  await plantFlows(account, flows)
  const frequent = String(rows[0]?.initiator_device_id)
  const devices = new Set([others.attribution, ...rows].map((one) => String(one.initiator_device_id)))
  const values = [...devices, ...Array.from({ length: 800 - devices.size }, () => randomUUID())]
  await plantCounts(account, { dimension: 'client', values, begin, days, added })
  return { frequent, rare: rare.attribution.initiator_device_id }
}

/** Measures pages of 50 flushed flows of 30 days: without a filter, and of a frequent and of a rare device. */
export async function pageCosts() {
  const account = { id: randomUUID(), inserted_at: timestamp(0) } as AccountRow
  const begin = firstHour()
  const end = begin + days * dayMicros
  const { frequent, rare } = await plantMonth(account.id, begin)
  const page = (query: object, expected: number) =>
    readCost(async () => {
      const window = { begin: timestamp(begin), end: timestamp(end) }
      const { data, metadata } = await listLogs(account, new URLSearchParams({ type: 'flow', ...window, ...query }))
      if (data.length !== expected || metadata.read_until) throw new Error(`The page has ${data.length} flows.`)
    })
  return atTime(end + hourMicros / 2, async () => ({
    all: await page({}, 50),
    frequent: await page({ device_id: frequent }, 50),
    rare: await page({ device_id: rare }, 3),
  }))
}

/** Measures the flows of the 80 minutes after the watermark at a rate per second: their histogram, and the first page. */
export async function recentCosts(rate: number) {
  const account = { id: randomUUID(), inserted_at: timestamp(0) } as AccountRow
  const begin = benchHour()
  plantBlocks(account.id, { begin, flows: rate * 4_800, perHour: rate * 3_600, perRequest: 100 })
  await putArchiveState(account.id, begin)
  const window = { begin: timestamp(begin), end: timestamp(begin + 2 * hourMicros) }
  const search = (query: object) => new URLSearchParams({ ...window, ...query })
  return atTime(begin + 4_800_000_000, async () => {
    let flows = 0
    const histogram = await readCost(async () => {
      const { data } = await readHistogram(account.id, search({}))
      if (data.counted_from !== null) throw new Error('The histogram is incomplete.')
      flows = data.hours.reduce((sum, hour) => sum + hour.flows, 0)
    }, 5)
    return { flows, histogram, page: await readCost(() => listLogs(account, search({ type: 'flow' }))) }
  })
}
