import { vi } from 'vitest'
import type { Answer } from '../accounts/account.ts'
import { catchLog } from '../logs/log-lines.ts'

/** Runs a request that the service refuses. Returns the operator's log line, and the metric that contains the reason. */
export async function captureOperatorLog(ask: () => Promise<Answer>) {
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
