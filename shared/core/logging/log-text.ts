import type { LogFields } from './invocation.ts'

/** Ids that tie lines together where there are many machines. */
const aside = ['event', 'operation', 'class', 'status', 'latency_ms', 'faults', 'function_request_id', 'stack', '_aws']

const shown = (value: unknown): string =>
  typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)

/** Checks for routine: runs of schedules and consumers, checkpoints, the handshake of the pulse. */
const isRoutine = ({ event, is_pulse, status }: LogFields): boolean =>
  event === 'run' || event === 'log_sealed' || (is_pulse === true && status === 401)

/** Formats a line for a person at the terminal: time, event, fields, and a stack below. Empty for routine. */
export function logText(level: string, fields: LogFields): string {
  if (isRoutine(fields)) return ''
  const { event, operation, status, latency_ms: latency, stack } = fields
  const head = [
    new Date().toISOString().slice(11, 23),
    ...(level === 'INFO' ? [] : [level]),
    ...(event === 'request' ? [] : [event]),
    operation,
    status,
    latency === undefined ? undefined : `${latency} ms`,
  ].filter((part) => part !== undefined)
  const rest = Object.entries(fields)
    .filter(([name, value]) => value !== undefined && value !== null && !aside.includes(name))
    .map(([name, value]) => `${name}=${shown(value)}`)
  const below = typeof stack === 'string' ? `\n${stack.replace(/^/gm, '    ')}` : ''
  return `${[...head, ...rest].join(' ')}${below}\n`
}
