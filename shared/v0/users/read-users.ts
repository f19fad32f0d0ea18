import { notFound } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { findUnique, getRow } from '../../table/read.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { isLonger } from '../../values/is-longer.ts'
import type { Page } from '../../values/page.ts'
import { isText } from '../values/casts.ts'
import { listV0Rows } from '../values/list-rows.ts'
import { type V0UserRow, v0Users } from './user.ts'

/** The set of emails that no two users share. */
export const v0UserEmails = 'v0_users.email'

export async function list(account: string, page: Page | undefined) {
  const { rows, metadata } = await listV0Rows(v0Users, account, page)
  return { data: rows, metadata }
}

/** By id or, in any case, by email (`/v0` contract, 9.2). @throws ApiError `not_found` */
export async function find(account: string, idOrEmail: string): Promise<V0UserRow> {
  // Other text is no email, and could not be looked up in the table.
  if (!isText(idOrEmail) || isLonger(idOrEmail, 255)) throw notFound()
  const user = isUuid(idOrEmail)
    ? await getRow(v0Users, account, idOrEmail.toLowerCase())
    : await findUnique(v0Users, account, v0UserEmails, foldAscii(idOrEmail))
  if (!user) throw notFound()
  return user
}

export const get = async (account: string, idOrEmail: string) => ({ data: await find(account, idOrEmail) })
