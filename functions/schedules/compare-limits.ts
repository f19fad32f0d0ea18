import { scheduled } from '#shared/core/logging/watched.ts'
import { compareLimits } from '#shared/jobs/limits/compare-limits.ts'

/** Every 30 minutes: compares the use of accounts with their limits (A11, A31). A run ends before the function's timeout. */
export const handler = scheduled('compare-limits', 45_000, compareLimits)
