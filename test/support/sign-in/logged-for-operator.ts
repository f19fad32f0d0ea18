import { vi } from 'vitest'
import type { Answer } from '../accounts/account.ts'
import { catchLog } from '../logs/log-lines.ts'

/**
 * A request that is refused, with what the operator is told of it: the line of the service's own log, and the metric with the
 * reason that it is counted by.
 */
export async function loggedForOperator(ask: () => Promise<Answer>) {
  const { LOG_LEVEL: level, METRICS: metrics } = process.env
  const log = catchLog('INFO')
  vi.stubEnv('METRICS', 'classes')
  const answer = await ask()
  const lines = log.lines()
  const text = log.text()
  vi.restoreAllMocks()
  vi.stubEnv('LOG_LEVEL', level)
  vi.stubEnv('METRICS', metrics)
  const end = lines.at(-1)
  return {
    answer,
    text,
    refused: lines.find(({ event }) => event === 'sign_in_refused'),
    counted: [end?.sign_ins_refused, end?.reason],
  }
}
