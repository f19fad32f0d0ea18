import { watched } from '#shared/core/logging/watched.ts'
import { compareLimits } from '#shared/jobs/limits/compare-limits.ts'

/** A run ends before its function does. */
const budgetMs = 45_000

/** Every 30 minutes: compares the use of accounts with their limits (A11, A31). */
export const handler = watched('compare-limits', () => compareLimits(Date.now() + budgetMs))
