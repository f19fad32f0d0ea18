import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger'
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types'
import { clock } from '../clock.ts'
import { env } from '../env.ts'
import { type LogFields, notedFields, notedSamples } from './invocation.ts'
import { type LogEvent, logEvents } from './log-events.ts'
import { metricFields } from './metrics.ts'

/** Log levels in ascending order of severity. */
export const logLevels = ['INFO', 'WARN', 'ERROR'] as const
export type LogLevel = (typeof logLevels)[number]

class LineFormat extends LogFormatter {
  formatAttributes(attributes: UnformattedAttributes, { event, ...fields }: LogAttributes): LogItem {
    const { logLevel: level, message, timestamp, xRayTraceId: trace_id } = attributes
    const [time, service, version] = [timestamp.toISOString(), env.serviceName, env.functionVersion]
    return new LogItem({
      attributes: { level, event, message, timestamp: time, service, version, trace_id, ...fields },
    })
  }
}

let logger: Logger | undefined

const methods = { INFO: 'info', WARN: 'warn', ERROR: 'error' } as const

const isWritten = (level: LogLevel): boolean =>
  logLevels.indexOf(level) >= (logLevels as readonly string[]).indexOf(env.logLevel)

/** Logs one line, unless its level is below the deployment's. A line never contains a body, token, name or address. */
export function logLine(level: LogLevel, event: LogEvent, fields: LogFields = {}): void {
  if (!isWritten(level)) return
  const lineFields = { event, ...notedFields(), ...fields }
  if (env.logFormat === 'text') process.stdout.write(logText(level, lineFields))
  else {
    logger ??= new Logger({ logLevel: 'INFO', logFormatter: new LineFormat() })
    logger[methods[level]]({ message: logEvents[event], ...lineFields })
  }
}

/** Logs the last line of an invocation. Below the deployment's log level, logs only metrics and faults. */
export function logEnd(level: LogLevel, event: LogEvent, fields: LogFields = {}): void {
  const metricValues = metricFields(notedSamples())
  if (isWritten(level)) logLine(level, event, { ...fields, ...metricValues })
  else if (('_aws' in metricValues || metricValues.faults === 1) && env.logFormat === 'json') {
    const { class: kind, operation, reason } = notedFields()
    const version = env.functionVersion
    process.stdout.write(`${JSON.stringify({ class: kind, operation, reason, version, ...metricValues })}\n`)
  }
}

/** Fields omitted from terminal lines, such as ids for correlation across machines. */
const hiddenFields = [
  'event',
  'operation',
  'class',
  'status',
  'latency_ms',
  'faults',
  'function_request_id',
  'stack',
  '_aws',
]

const formatValue = (value: unknown): string =>
  typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)

/** True for routine lines: runs of schedules and consumers, checkpoints, and rejected handshakes of the pulse. */
const isRoutine = ({ event, is_pulse, status }: LogFields): boolean =>
  event === 'run' || event === 'log_sealed' || (is_pulse === true && status === 401)

/** Formats a line for a terminal: time, event and fields, then the stack. Empty for routine lines. */
function logText(level: string, fields: LogFields): string {
  if (isRoutine(fields)) return ''
  const { event, operation, status, latency_ms: latency, stack } = fields
  const leadingParts = [
    new Date(clock.now() / 1_000).toISOString().slice(11, 23),
    ...(level === 'INFO' ? [] : [level]),
    ...(event === 'request' ? [] : [event]),
    operation,
    status,
    latency === undefined ? undefined : `${latency} ms`,
  ].filter((part) => part !== undefined)
  const otherFields = Object.entries(fields)
    .filter(([name, value]) => value !== undefined && value !== null && !hiddenFields.includes(name))
    .map(([name, value]) => `${name}=${formatValue(value)}`)
  const stackText = typeof stack === 'string' ? `\n${stack.replace(/^/gm, '    ')}` : ''
  return `${[...leadingParts, ...otherFields].join(' ')}${stackText}\n`
}
