import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import {
  type Caller,
  type Flow,
  Ledger,
  openReporters,
  type Reporter,
  readLog,
  report,
} from '#test/support/service/reporters.ts'
import { startService } from '#test/support/service/service.ts'
import { type ProcessTimes, processTimes, usedBetween } from '../measure/process-times.ts'
import { readSample } from '../measure/sample-reports.ts'

type Latency = { calls: number; p50: number; p99: number }

export type LoadResult = {
  seconds: number
  flows: number
  /** Flows per second that were opened, closed and stored in the log, measured from the first report to the last entry. */
  flowsPerSecond: number
  /** Milliseconds from the acknowledgement of a batch until the log contains the batch's flows. */
  visible: Latency
  quiet: Latency
  loaded: Latency
  /** Resident memory of the service's process in megabytes. */
  memory: { before: number; after: number }
  /** CPU of the service's processes while the gateways stream, including the administrators' requests. */
  cpu: ProcessTimes
  lost: number
  duplicated: number
  wrong: number
}

const clients = 4
const administrators = 2
const flowsPerBatch = 250

function latencyOf(times: number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { calls: sorted.length, p50: at(0.5), p99: at(0.99) }
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  const kilobytes = status
    ? /^VmRSS:\s+(\d+)/m.exec(status)?.[1]
    : (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout
  return Number(kilobytes) / 1_024
}

/**
 * Repeats an administrator's work: creates a group, reads lists, logs and the group, and deletes the group. Returns the duration of each
 * request in milliseconds.
 */
async function administer(call: Caller, until: () => boolean): Promise<number[]> {
  const times: number[] = []
  const timed = async (method: string, path: string, body?: unknown) => {
    const start = performance.now()
    const reply = await call(method, path, body)
    times.push(performance.now() - start)
    if (reply.status > 201) throw new Error(`${method} ${path} answered ${JSON.stringify(reply.body)}`)
    await sleep(20)
    return reply.body
  }
  while (!until()) {
    const { data } = await timed('POST', '/groups', { group: { name: `Group ${crypto.randomUUID()}` } })
    await timed('GET', '/groups')
    await timed('PATCH', `/groups/${data.id}`, { group: { name: `Group ${crypto.randomUUID()}` } })
    await timed('GET', `/groups/${data.id}`)
    await timed('GET', '/resources')
    await timed('GET', '/logs?type=change&limit=20')
    await timed('DELETE', `/groups/${data.id}`)
  }
  return times
}

const administerTogether = async (call: Caller, until: () => boolean): Promise<Latency> =>
  latencyOf((await Promise.all(Array.from({ length: administrators }, () => administer(call, until)))).flat())

const claimsOf = ({ token }: Reporter): IngestClaims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Streams one reporter's flows until `until` returns true. At most two batches may be missing from the log. */
async function streamFlows(call: Caller, reporter: Reporter, ledger: Ledger, until: () => boolean): Promise<number[]> {
  const waits: number[] = []
  const claims = claimsOf(reporter)
  const isVisible = async (flow: Flow, closed: boolean): Promise<boolean> => {
    const { status, body } = await call('GET', `/logs/${flowLogId(claims, readSample(flow))}`)
    return status === 200 && (!closed || body.data.flow_end !== null)
  }
  const untilVisible = async (flow: Flow | undefined, closed = false) => {
    const start = performance.now()
    while (flow && !(await isVisible(flow, closed))) await sleep(100)
    if (flow) waits.push(performance.now() - start)
  }
  const send = async (opening: number, before: Flow[]) => {
    const { opened, reports } = ledger.batch(opening, before)
    await report(call, reporter, reports, () => false)
    ledger.acknowledge(reporter, opened, before)
    return opened
  }
  let before: Flow[] = []
  let waiting = Promise.resolve()
  while (!until()) {
    const opened = await send(flowsPerBatch, before)
    await waiting
    waiting = untilVisible(opened.at(-1))
    before = opened
  }
  await send(0, before)
  await waiting
  await untilVisible(before.at(-1), true)
  return waits
}

/** Starts a service, streams flows while administrators read and write, and compares the service's log with the reports. */
export async function loadTest(seconds: number): Promise<LoadResult> {
  const service = await startService()
  try {
    const { call, reporters } = await openReporters(service, clients)
    const lasting = (s: number) => {
      const end = performance.now() + s * 1_000
      return () => performance.now() > end
    }
    // Warms up the service, because functions are loaded at the first call.
    await Promise.all([
      administer(call, lasting(2)),
      streamFlows(call, reporters[0] as Reporter, new Ledger(), lasting(1)),
    ])
    const quiet = await administerTogether(call, lasting(Math.max(5, seconds / 3)))
    const before = await residentMegabytes(service.pid)

    const ledger = new Ledger()
    const used = await processTimes(service.pid)
    const until = lasting(seconds)
    const start = performance.now()
    const [loaded, ...waits] = await Promise.all([
      administerTogether(call, until),
      ...reporters.map((reporter) => streamFlows(call, reporter, ledger, until)),
    ])
    const elapsed = (performance.now() - start) / 1_000
    const cpu = usedBetween(used, await processTimes(service.pid))
    const after = await residentMegabytes(service.pid)
    const judged = ledger.judge(await readLog(call, 'type=flow'))
    const flows = ledger.flows.size
    return {
      seconds: elapsed,
      flows,
      flowsPerSecond: flows / elapsed,
      visible: latencyOf(waits.flat()),
      quiet,
      loaded,
      memory: { before, after },
      cpu,
      ...judged,
    }
  } finally {
    await service.stop()
  }
}

export function loadTable(result: LoadResult): string {
  const { flows, seconds, flowsPerSecond, visible, quiet, loaded, memory, cpu, lost, duplicated, wrong } = result
  const ms = ({ calls, p50, p99 }: Latency) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${calls})`
  const each = [...cpu].map(([program, time]) => `${program} ${(time / flows).toFixed(2)}`)
  return [
    `${flows} flows in ${seconds.toFixed(1)} s, opened and closed: ${flowsPerSecond.toFixed(0)} flows a second from report to log`,
    `a batch is in the log after ${ms(visible)}`,
    `administrators without that load: ${ms(quiet)}; with it: ${ms(loaded)}`,
    `milliseconds of CPU for each flow, administrators included: ${each.join(', ')}`,
    `memory of the service: ${memory.before.toFixed(0)} MB before, ${memory.after.toFixed(0)} MB after`,
    `lost ${lost}, duplicated ${duplicated}, different from the report ${wrong}`,
  ]
    .map((line) => `  ${line}\n`)
    .join('')
}
