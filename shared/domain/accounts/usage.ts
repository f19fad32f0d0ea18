import type { AccountRow } from './account.ts'
import { limitOf, usageOf } from './check-limit.ts'

type Usage = { used: number; available: number; total: number }

/** The limits that are set, each with its use (A11). `monthlyActive` is counted by the caller. */
export function limitsOf(
  account: AccountRow,
  counts: Record<string, number>,
  monthlyActive: number,
): Record<string, Usage> {
  const usage = (used: number, total: number | null): Usage | undefined =>
    total === null ? undefined : { used, available: Math.max(0, total - used), total }
  const counted = (['users', 'service_accounts', 'account_admin_users', 'sites'] as const).map((limit) => [
    limit,
    usage(
      usageOf((tally) => counts[tally] ?? 0, limit),
      limitOf(account, limit),
    ),
  ])
  const entries = [
    ...counted,
    ['monthly_active_users', usage(monthlyActive, account.limits.monthly_active_users_count)],
  ]
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
