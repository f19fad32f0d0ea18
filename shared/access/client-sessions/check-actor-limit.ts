import type { CallerOf } from '../../auth/caller.ts'
import { ApiError } from '../../core/errors.ts'
import { limitOf, usageOf } from '../../domain/accounts/check-limit.ts'
import { isPerson } from '../../domain/actors/actor.ts'
import { headKey } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

/** @throws ApiError `limits_exceeded` while the account has more of this kind of actor than it may (P3.1(2)). */
export async function checkActorLimit({ account, actor }: CallerOf<'client'>): Promise<void> {
  const limit = isPerson(actor.type) ? 'users' : 'service_accounts'
  const total = limitOf(account, limit)
  if (total === null) return
  const counts = ((await getItem(headKey(account.id)))?.counts ?? {}) as Record<string, number>
  if (usageOf((tally) => counts[tally] ?? 0, limit) > total) {
    throw new ApiError('limits_exceeded', `The account is above its limit of ${limit}.`)
  }
}
