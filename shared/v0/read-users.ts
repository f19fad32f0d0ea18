import type { Transaction } from '../commit/transaction.ts'
import { notFound } from '../core/errors.ts'
import { isUuid } from '../core/ids.ts'
import type { Entity, Row } from '../table/entity.ts'
import { type Key, partition } from '../table/keys.ts'
import { findUnique, getItem, getRow, queryItems } from '../table/read.ts'
import type { Page } from '../values/page.ts'
import { foldAscii, isLonger } from '../values/text.ts'
import { isText } from './casts.ts'
import { listV0Rows } from './list-rows.ts'
import { type V0UserRow, v0Users } from './user.ts'

export const v0UserEmails = 'v0_users.email'

export const list = (account: string, page: Page | undefined) => listV0Rows(v0Users, account, page, (user) => user)

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

export const goneUsersPartition = (account: string): string => partition(account, 'v0_users.gone')

const goneKey = (account: string, userId: string): Key => ({ pk: goneUsersPartition(account), sk: userId })

/** Marks a deleted user whose devices and rules are still being deleted: what is left of them is invisible (15.2). */
export const markGone = (transaction: Transaction, userId: string): void =>
  transaction.put({ ...goneKey(transaction.accountId, userId), kind: 'gone' })

export async function unmarkGone(transaction: Transaction, userId: string): Promise<void> {
  const key = goneKey(transaction.accountId, userId)
  if (await getItem(key)) transaction.remove(key)
}

const isGone = async (account: string, userId: string): Promise<boolean> =>
  (await getItem(goneKey(account, userId))) !== undefined

/** The deleted users whose devices or rules are still there; nearly always none. */
export async function goneUsers(account: string): Promise<Set<string>> {
  const marks = await queryItems(goneUsersPartition(account))
  return new Set(marks.map(({ sk }) => String(sk)))
}

/** A row that can belong to a user, unless a deletion of its user has yet to remove it. @throws ApiError `not_found` */
export async function findOfUser<R extends Row & { user_id: string | null }>(
  entity: Entity<R>,
  account: string,
  id: string,
): Promise<R> {
  const row = isUuid(id) ? await getRow(entity, account, id.toLowerCase()) : null
  if (!row || (row.user_id !== null && (await isGone(account, row.user_id)))) throw notFound()
  return row
}

/** Rows that can belong to a user, without those that a deletion of their user has yet to remove (15.2). */
export async function listOfUsers<R extends Row & { user_id: string | null }, S>(
  entity: Entity<R>,
  account: string,
  page: Page | undefined,
  show: (row: R) => S,
) {
  const gone = await goneUsers(account)
  const isVisible = ({ user_id }: R) => user_id === null || !gone.has(user_id)
  return listV0Rows(entity, account, page, show, gone.size === 0 ? undefined : isVisible)
}
