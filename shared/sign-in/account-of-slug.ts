import { notFound } from '../core/errors.ts'
import { note } from '../core/logging/invocation.ts'
import { type AccountRow, accounts } from '../domain/accounts/account.ts'
import { serviceGuard } from '../domain/accounts/service-guard.ts'
import { getItem, getRow } from '../table/read.ts'
import { slugPattern } from './slug.ts'

/** The enabled account that people sign in to under a slug. @throws ApiError `not_found` (I2.1) */
export async function accountOfSlug(slug: string): Promise<AccountRow> {
  const isSlug = new RegExp(slugPattern).test(slug)
  const guard = isSlug ? await getItem(serviceGuard('slug', slug.toLowerCase())) : undefined
  const id = typeof guard?.account_id === 'string' ? guard.account_id : null
  const account = id === null ? null : await getRow(accounts, id, id)
  if (!account || account.is_disabled) throw notFound()
  note({ account_id: account.id })
  return account
}
