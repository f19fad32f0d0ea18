import { clock, dayMicros, timestamp } from '../../core/clock.ts'
import { readAccountVersion } from '../../table/account-version.ts'
import { partition } from '../../table/keys.ts'
import { getRows, queryItems } from '../../table/read.ts'
import { actors, isPerson } from '../actors/actor.ts'
import { clients } from '../clients/client.ts'
import type { AccountRow } from './account.ts'
import { limitOf, usageOf } from './check-limit.ts'

/** Returns the caller's account with the usage of each limit that is set (A11). */
export async function get(account: AccountRow) {
  const counts = await readCounts(account.id)
  const active = account.limits.monthly_active_users_count === null ? 0 : await countMonthlyActiveUsers(account.id)
  return { data: { ...account, limits: renderLimits(account, counts, active) } }
}

const month = 30 * dayMicros

/** Counts the enabled users and administrators who have a client seen within the last 30 days (A11). */
export async function countMonthlyActiveUsers(account: string): Promise<number> {
  const since = timestamp(clock.now() - month)
  const presences = await queryItems(partition(account, `presence.${clients.name}`))
  const recent = presences.filter((item) => typeof item.last_seen_at === 'string' && item.last_seen_at >= since)
  const rows = await getRows(
    clients,
    account,
    recent.map((item) => String(item.sk)),
  )
  const owners = [...new Set(rows.flatMap((client) => (client ? [client.actor_id] : [])))]
  const people = await getRows(actors, account, owners)
  return people.filter((actor) => actor && !actor.is_disabled && isPerson(actor.type)).length
}

/** Reads the row counters of an account, keyed by collection or by a name from an entity's `counters`. */
export const readCounts = async (account: string) => (await readAccountVersion(account)).counts

function renderLimits(account: AccountRow, counts: Record<string, number>, monthlyActive: number) {
  const limits = [
    ...(['users', 'service_accounts', 'account_admin_users', 'sites'] as const).map((limit) => ({
      limit,
      used: usageOf((tally) => counts[tally] ?? 0, limit),
      total: limitOf(account, limit),
    })),
    { limit: 'monthly_active_users', used: monthlyActive, total: account.limits.monthly_active_users_count },
  ]
  return Object.fromEntries(
    limits.flatMap(({ limit, used, total }) =>
      total === null ? [] : [[limit, { used, available: Math.max(0, total - used), total }]],
    ),
  )
}
