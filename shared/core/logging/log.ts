import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger'
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types'
import { env } from '../env.ts'
import { type LogFields, notedFields, notedSamples } from './invocation.ts'
import { type LogEvent, logEvents } from './log-events.ts'
import { logText } from './log-text.ts'
import { embedded } from './metrics.ts'

/** From the least to the most severe. */
export const logLevels = ['INFO', 'WARN', 'ERROR'] as const
export type LogLevel = (typeof logLevels)[number]

/** What every line begins with. */
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

/** Made for the first line: importing it costs 2 ms, and whoever logs nothing pays no more. */
function theLogger(): Logger {
  logger ??= new Logger({ logLevel: 'INFO', logFormatter: new LineFormat() })
  return logger
}

const methods = { INFO: 'info', WARN: 'warn', ERROR: 'error' } as const

const isWritten = (level: LogLevel): boolean => {
  const levels: readonly string[] = logLevels
  return levels.indexOf(level) >= levels.indexOf(env.logLevel)
}

/** One line of JSON for the operator, from the deployment's level on. Never a body, never a token, never a name or an address. */
export function logLine(level: LogLevel, event: LogEvent, fields: LogFields = {}): void {
  if (!isWritten(level)) return
  const all = { event, ...notedFields(), ...fields }
  if (env.logFormat === 'text') process.stdout.write(logText(level, all))
  else theLogger()[methods[level]]({ message: logEvents[event], ...all })
}

/**
 * Writes the last line of an invocation, with its measurements. Above this log level only the metrics for CloudWatch
 * are left of it, and a fault, which a gradual shift looks for; a terminal gets nothing.
 */
export function logEnd(level: LogLevel, event: LogEvent, fields: LogFields = {}): void {
  const measured = embedded(notedSamples())
  if (isWritten(level)) logLine(level, event, { ...fields, ...measured })
  else if (('_aws' in measured || measured.faults === 1) && env.logFormat === 'json') {
    const { class: kind, operation, reason } = notedFields()
    const version = env.functionVersion
    process.stdout.write(`${JSON.stringify({ class: kind, operation, reason, version, ...measured })}\n`)
  }
}
