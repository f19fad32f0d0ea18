import type { CallerOf } from '../../auth/caller.ts'
import { ApiError } from '../../core/errors.ts'
import { limitOf, usageOf } from '../../domain/accounts/check-limit.ts'
import { readCounts } from '../../domain/accounts/read-counts.ts'
import { isPerson } from '../../domain/actors/actor.ts'

/** @throws ApiError `limits_exceeded` while the account has more of this kind of actor than it may (P3.1(2)). */
export async function checkActorLimit({ account, actor }: CallerOf<'client'>): Promise<void> {
  const limit = isPerson(actor.type) ? 'users' : 'service_accounts'
  const total = limitOf(account, limit)
  if (total === null) return
  const counts = await readCounts(account.id)
  if (usageOf((tally) => counts[tally] ?? 0, limit) > total) {
    throw new ApiError('limits_exceeded', `The account is above its limit of ${limit}.`)
  }
}
