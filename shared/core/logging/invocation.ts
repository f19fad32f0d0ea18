import { AsyncLocalStorage } from 'node:async_hooks'
import { addSample, type MetricName, type Samples } from './metrics.ts'

export type LogFields = Record<string, unknown>
type Invocation = { fields: LogFields; samples: Samples }

/** Requests of one process run side by side on one machine, so what belongs to one travels with its calls. */
const running = new AsyncLocalStorage<Invocation>()

/** Runs the work of one invocation; every line that it logs carries these fields, and those noted on the way. */
export const within = <T>(fields: LogFields, work: () => T): T =>
  running.run({ fields: { ...fields }, samples: {} }, work)

/** Adds fields to the lines that the invocation logs from here on. Outside of one it does nothing. */
export function note(fields: LogFields): void {
  Object.assign(running.getStore()?.fields ?? {}, fields)
}

/** Adds to what the last line of the invocation tells, of which CloudWatch makes metrics. Outside of one it does nothing. */
export function measure(name: MetricName, value = 1): void {
  addSample(running.getStore()?.samples ?? {}, name, value)
}

export const notedFields = (): LogFields => running.getStore()?.fields ?? {}

export const notedSamples = (): Samples => running.getStore()?.samples ?? {}
