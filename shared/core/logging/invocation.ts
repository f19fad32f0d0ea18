import { AsyncLocalStorage } from 'node:async_hooks'
import { addSample, type MetricName, type Samples } from './metrics.ts'

export type LogFields = Record<string, unknown>
type Invocation = { fields: LogFields; samples: Samples }

/** Log context of each invocation, required because a local process runs several invocations concurrently. */
const currentInvocation = new AsyncLocalStorage<Invocation>()

/** Runs the work of one invocation. Its log lines contain `fields` and the fields that `note` adds. */
export const runInvocation = <T>(fields: LogFields, work: () => T): T =>
  currentInvocation.run({ fields: { ...fields }, samples: {} }, work)

/** Adds fields to later log lines of the invocation. */
export function note(fields: LogFields): void {
  Object.assign(currentInvocation.getStore()?.fields ?? {}, fields)
}

export function measure(name: MetricName, value = 1): void {
  addSample(currentInvocation.getStore()?.samples ?? {}, name, value)
}

export const notedFields = (): LogFields => currentInvocation.getStore()?.fields ?? {}

export const notedSamples = (): Samples => currentInvocation.getStore()?.samples ?? {}
