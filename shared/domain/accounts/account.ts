import * as v from 'valibot'
import type { Transaction } from '../../commit/transaction.ts'
import { clock } from '../../core/clock.ts'
import { entity, type Row } from '../../table/entity.ts'
import type { Key } from '../../table/keys.ts'
import { getRow } from '../../table/read.ts'

export const limitNames = [
  'users_count',
  'monthly_active_users_count',
  'service_accounts_count',
  'account_admin_users_count',
  'sites_count',
  'api_clients_count',
  'api_tokens_per_client_count',
  'api_refill_rate',
  'api_capacity',
  'ingest_refill_rate',
  'ingest_capacity',
] as const
export type LimitName = (typeof limitNames)[number]

export const featureNames = ['internet_resource', 'idp_sync', 'device_posture'] as const
export type FeatureName = (typeof featureNames)[number]

/** Forms in which the legacy API returns lists of addresses: comma-separated strings, or arrays (A32.5). */
export const v0Lists = ['text', 'arrays'] as const
export type V0Lists = (typeof v0Lists)[number]

export type AccountRow = Row &
  Omit<v.InferOutput<typeof Account>, 'limits'> & {
    is_disabled: boolean
    disabled_reason: string | null
    /** Time at which the account is deleted with all its data; null unless its deletion was requested (A32). */
    delete_at: string | null
    limits: Record<LimitName, number | null>
    features: Record<FeatureName, boolean>
    v0_lists: V0Lists
  }

export const accounts = entity<AccountRow>({
  name: 'accounts',
  defaults: { legal_name: null, is_disabled: false, disabled_reason: null, delete_at: null, v0_lists: 'text' },
})

const Usage = v.object({ used: v.number(), available: v.number(), total: v.number() })

/** Account in API responses (A11). */
export const Account = v.object({
  id: v.string(),
  slug: v.string(),
  key: v.string(),
  name: v.string(),
  legal_name: v.nullable(v.string()),
  limits: v.object({
    users: v.optional(Usage),
    monthly_active_users: v.optional(Usage),
    service_accounts: v.optional(Usage),
    account_admin_users: v.optional(Usage),
    sites: v.optional(Usage),
  }),
})

const timeBudgetMs = 60_000
const cache = new Map<string, { status: AccountStatus; at: number }>()

type AccountStatus = { enabled: false } | { enabled: true; limits: AccountRow['limits'] }

/** Returns the limits of an account and whether it is enabled. The result is cached for 60 seconds (L9.4). */
export async function accountStatus(account: string): Promise<AccountStatus> {
  const last = cache.get(account)
  if (last && clock.now() / 1_000 - last.at < timeBudgetMs) return last.status
  const row = await getRow(accounts, account, account)
  const status: AccountStatus = row && !row.is_disabled ? { enabled: true, limits: row.limits } : { enabled: false }
  if (cache.size > 10_000) cache.clear()
  cache.set(account, { status, at: clock.now() / 1_000 })
  return status
}

/** Path segments that are in use below `/sign_in` and therefore cannot be slugs (I2.1). */
export const reservedSlugs: readonly string[] = ['callback', 'session', 'token']

/** Key of the item that maps a slug, an account key or a directory id (I4.2) to the account's id. */
export const serviceUniqueKey = (name: 'slug' | 'key' | 'idp_directory', value: string): Key => ({
  pk: `service#${name}#${value}`,
  sk: 'unique',
})

/** Partition that lists the accounts with limits, which a half-hourly job compares with their usage (A11). */
export const limitedAccountsPartition = 'service#limited'

const comparedLimits: LimitName[] = [
  'users_count',
  'monthly_active_users_count',
  'service_accounts_count',
  'account_admin_users_count',
  'sites_count',
]

const isCompared = (account: Pick<AccountRow, 'limits'> | null): boolean =>
  account !== null && comparedLimits.some((name) => account.limits[name] !== null)

/**
 * Stages the account's entry in the list that the half-hourly limits job reads (A11). An account is listed while at least one of its
 * compared limits is set.
 */
export function stageLimitsEntry(transaction: Transaction, before: AccountRow | null, after: AccountRow): void {
  if (isCompared(before) === isCompared(after)) return
  const key = { pk: limitedAccountsPartition, sk: after.id }
  if (isCompared(after)) transaction.put({ ...key, kind: 'limited', account_id: after.id })
  else transaction.remove(key)
}
