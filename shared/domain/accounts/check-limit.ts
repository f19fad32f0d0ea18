import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, featureNotEnabled } from '../../core/errors.ts'
import { type AccountRow, accounts, type FeatureName, type LimitName } from './account.ts'

/** Limits (A11), each with the field that sets it and the counters that make up its usage. */
const limits = {
  users: { setting: 'users_count', used: ['actors.enabled.account_user', 'actors.enabled.account_admin_user'] },
  account_admin_users: { setting: 'account_admin_users_count', used: ['actors.enabled.account_admin_user'] },
  service_accounts: { setting: 'service_accounts_count', used: ['actors.enabled.service_account'] },
  api_clients: { setting: 'api_clients_count', used: ['actors.api_client'] },
  sites: { setting: 'sites_count', used: ['sites.account'] },
} as const satisfies Record<string, { setting: LimitName; used: string[] }>

export type Limit = keyof typeof limits

export const usageOf = (count: (tally: string) => number, limit: Limit): number =>
  limits[limit].used.reduce((sum, tally) => sum + count(tally), 0)

export const limitOf = (account: AccountRow, limit: Limit): number | null => account.limits[limits[limit].setting]

/**
 * Checks that the account may have one more object of a limited kind (A11).
 * @throws ApiError `limit_reached`
 */
export async function checkLimit(transaction: Transaction, limit: Limit): Promise<void> {
  const account = await transaction.existing(accounts, transaction.accountId)
  const total = limitOf(account, limit)
  if (total !== null && usageOf((tally) => transaction.count(tally), limit) >= total) throw limitReached(limit)
}

/**
 * Maximum number of posture providers per account, and of directories of each kind. Bounded because the sync schedule runs each of them.
 */
const maxSources = 20

/**
 * Checks that the account may have one more source of this collection: a directory or a posture provider (A11).
 * @throws ApiError `limit_reached`
 */
export function checkSources(transaction: Transaction, collection: string): void {
  if (transaction.count(collection) >= maxSources) throw limitReached(collection)
}

export async function checkFeature(transaction: Transaction, feature: FeatureName): Promise<void> {
  const account = await transaction.get(accounts, transaction.accountId)
  if (!account?.features[feature]) throw featureNotEnabled(feature)
}

export const limitReached = (limit: string) =>
  new ApiError('limit_reached', `The account has reached its limit of ${limit}.`, { members: { limit } })
