import { env } from './env.ts'

/** From the least to the most severe. */
export const logLevels = ['INFO', 'WARN', 'ERROR'] as const
export type LogLevel = (typeof logLevels)[number]

/** One line of JSON for the operator, from the deployment's level on. Never a body, never a token. */
export function logLine(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
  const levels: readonly string[] = logLevels
  if (levels.indexOf(level) < levels.indexOf(env.logLevel)) return
  process.stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`)
}
