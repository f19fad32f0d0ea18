import { scheduled } from '#shared/core/logging/watched.ts'
import { compareLimits } from '#shared/jobs/limits/compare-limits.ts'

/** Runs every 30 minutes and compares the usage of accounts with their limits (A11, A31). A run stops before the function's timeout. */
export const handler = scheduled('compare-limits', 45_000, compareLimits)
