import { notFound } from '../core/errors.ts'
import { note } from '../core/logging/invocation.ts'
import { type AccountRow, accounts, serviceUniqueKey } from '../domain/accounts/account.ts'
import { getItem, getRow } from '../table/read.ts'

/** Finds the enabled account with a slug. @throws ApiError `not_found` for an unknown slug or a disabled account (I2.1) */
export async function findAccountBySlug(slug: string): Promise<AccountRow> {
  const isSlug = new RegExp(slugPattern).test(slug)
  const unique = isSlug ? await getItem(serviceUniqueKey('slug', slug.toLowerCase())) : undefined
  const id = typeof unique?.account_id === 'string' ? unique.account_id : null
  const account = id === null ? null : await getRow(accounts, id, id)
  if (!account || account.is_disabled) throw notFound()
  note({ account_id: account.id })
  return account
}

const slugPattern = '^[A-Za-z0-9-]{3,100}$'

export const slug = {
  type: 'string',
  pattern: slugPattern,
  description: 'Slug of the account, which is part of its sign-in address.',
  examples: ['example'],
}
