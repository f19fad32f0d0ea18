import { AsyncLocalStorage } from 'node:async_hooks'

export type LogFields = Record<string, unknown>

/** Requests of one process run side by side on one machine, so what belongs to one travels with its calls. */
const running = new AsyncLocalStorage<LogFields>()

/** Runs the work of one invocation; every line that it logs carries these fields, and those noted on the way. */
export const within = <T>(fields: LogFields, work: () => T): T => running.run({ ...fields }, work)

/** Adds fields to the lines that the invocation logs from here on. Outside of one it does nothing. */
export function note(fields: LogFields): void {
  Object.assign(running.getStore() ?? {}, fields)
}

export const notedFields = (): LogFields => running.getStore() ?? {}
