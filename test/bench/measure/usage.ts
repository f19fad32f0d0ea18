import { measure } from '#test/support/table/consumed-capacity.ts'
import { prices } from '../costs/prices.ts'

export type Usage = {
  httpRequests: number
  lambdaRequests: number
  lambdaGbMs: number
  writeUnits: number
  readUnits: number
  payloadUnits: number
  objectPuts: number
  signatures: number
}

const nothing: Usage = {
  httpRequests: 0,
  lambdaRequests: 0,
  lambdaGbMs: 0,
  writeUnits: 0,
  readUnits: 0,
  payloadUnits: 0,
  objectPuts: 0,
  signatures: 0,
}

export const usageNames = Object.keys(nothing) as (keyof Usage)[]

export function sum(...parts: [usage: Partial<Usage>, times: number][]): Usage {
  const total = { ...nothing }
  for (const [usage, times] of parts) for (const name of usageNames) total[name] += (usage[name] ?? 0) * times
  return total
}

/** Typical usage of a run: mean units, and the lower quartile of the CPU. */
export function perRun(runs: Usage[]): Usage {
  const mean = sum(...runs.map((usage) => [usage, 1 / runs.length] as [Usage, number]))
  const cpu = runs.map(({ lambdaGbMs }) => lambdaGbMs).sort((a, b) => a - b)
  return { ...mean, lambdaGbMs: cpu[Math.floor(cpu.length / 4)] ?? 0 }
}

const rates: Record<keyof Usage, number> = {
  httpRequests: prices.httpRequest,
  lambdaRequests: prices.lambdaRequest,
  lambdaGbMs: prices.lambdaGbSecond / 1_000,
  writeUnits: prices.writeUnit,
  readUnits: prices.readUnit,
  payloadUnits: prices.payloadUnit,
  objectPuts: prices.objectPut,
  signatures: prices.signature,
}

export const usdOf = (usage: Usage): number => usageNames.reduce((usd, name) => usd + usage[name] * rates[name], 0)

/** Reference speed: milliseconds of CPU for `JSON.parse` of a megabyte. Measured CPU times are scaled to this speed. */
const referenceMs = 6
let factor: number | undefined

const cpuMs = (start?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

function speed(): number {
  const entry = { name: 'a name of usual length', id: '0190a000-0000-7000-8000-000000000001', count: 12_345 }
  const text = JSON.stringify(Array.from({ length: 11_000 }, () => entry)).slice(0, 1_000_000)
  const whole = `${text.slice(0, text.lastIndexOf('},') + 1)}]`
  const times = Array.from({ length: 15 }, () => {
    const start = process.cpuUsage()
    JSON.parse(whole)
    return cpuMs(start)
  })
  return referenceMs / Math.min(...times)
}

/**
 * GB of memory at which Lambda allots one CPU (1,769 MB). Other sizes receive a proportional share, so CPU-bound work costs the same with
 * any memory size.
 */
export const gbPerCpu = 1_769 / 1_024

/** Converts milliseconds of CPU to GB-ms at reference speed. */
export function gbMsOf(milliseconds: number): number {
  factor ??= speed()
  return milliseconds * factor * gbPerCpu
}

/** Measures table units, GB-ms of CPU, and sequential round trips to the table. Waiting time is not included. */
export async function usageAndTrips(work: () => Promise<unknown>): Promise<{ usage: Partial<Usage>; trips: number }> {
  // Calibrates the speed before the measurement.
  gbMsOf(0)
  const start = process.cpuUsage()
  const { reads, writes, trips } = await measure(work)
  return { usage: { lambdaGbMs: gbMsOf(cpuMs(start)), readUnits: reads, writeUnits: writes }, trips }
}

export const usageOf = async (work: () => Promise<unknown>): Promise<Partial<Usage>> =>
  (await usageAndTrips(work)).usage
