import type { AccountApi } from './account-api.ts'
import type { Options } from './options.ts'
import type { Report } from './report.ts'

/** A run of the smoke test, once its input was found good. */
export type Run = {
  api: AccountApi
  options: Options
  report: Report
  /** Aborted when the process is asked to end. */
  stop: AbortSignal
  account: { id: string; name: string; slug: string }
}
