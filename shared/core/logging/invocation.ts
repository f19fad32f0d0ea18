import { AsyncLocalStorage } from 'node:async_hooks'
import { addSample, type MetricName, type Samples } from './metrics.ts'

export type LogFields = Record<string, unknown>
type Invocation = { fields: LogFields; samples: Samples }

/** Log context of each invocation, required because a local process runs several invocations concurrently. */
const running = new AsyncLocalStorage<Invocation>()

/** Runs the work of one invocation. Its log lines contain `fields` and the fields that `note` adds. */
export const within = <T>(fields: LogFields, work: () => T): T =>
  running.run({ fields: { ...fields }, samples: {} }, work)

/** Adds fields to later log lines of the invocation. */
export function note(fields: LogFields): void {
  Object.assign(running.getStore()?.fields ?? {}, fields)
}

export function measure(name: MetricName, value = 1): void {
  addSample(running.getStore()?.samples ?? {}, name, value)
}

export const notedFields = (): LogFields => running.getStore()?.fields ?? {}

export const notedSamples = (): Samples => running.getStore()?.samples ?? {}
