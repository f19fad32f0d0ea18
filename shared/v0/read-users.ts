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

/** Finds a user by id, or by email in any letter case (`/v0` contract, 9.2). @throws ApiError `not_found` */
export async function find(account: string, idOrEmail: string): Promise<V0UserRow> {
  // Rejects strings that cannot be an email or part of a table key.
  if (!isText(idOrEmail) || isLonger(idOrEmail, 255)) throw notFound()
  const user = isUuid(idOrEmail)
    ? await getRow(v0Users, account, idOrEmail.toLowerCase())
    : await findUnique(v0Users, account, v0UserEmails, foldAscii(idOrEmail))
  if (!user) throw notFound()
  return user
}

export const get = async (account: string, idOrEmail: string) => ({ data: await find(account, idOrEmail) })

export const deletedUsersPartition = (account: string): string => partition(account, 'v0_users.gone')

const tombstoneKey = (account: string, userId: string): Key => ({ pk: deletedUsersPartition(account), sk: userId })

/** Stages the tombstone of a deleted user, which hides the user's devices and rules until they are deleted (`/v0` contract, 15.2). */
export const stageTombstone = (transaction: Transaction, userId: string): void =>
  transaction.put({ ...tombstoneKey(transaction.accountId, userId), kind: 'gone' })

export async function removeTombstone(transaction: Transaction, userId: string): Promise<void> {
  const key = tombstoneKey(transaction.accountId, userId)
  if (await getItem(key)) transaction.remove(key)
}

const isDeleted = async (account: string, userId: string): Promise<boolean> =>
  (await getItem(tombstoneKey(account, userId))) !== undefined

/** Reads the ids of deleted users who still have devices or rules, usually none. */
export async function readDeletedUsers(account: string): Promise<Set<string>> {
  const tombstones = await queryItems(deletedUsersPartition(account))
  return new Set(tombstones.map(({ sk }) => String(sk)))
}

/** Reads a row. Fails if the row belongs to a deleted user. @throws ApiError `not_found` */
export async function findOfUser<R extends Row & { user_id: string | null }>(
  entity: Entity<R>,
  account: string,
  id: string,
): Promise<R> {
  const row = isUuid(id) ? await getRow(entity, account, id.toLowerCase()) : null
  if (!row || (row.user_id !== null && (await isDeleted(account, row.user_id)))) throw notFound()
  return row
}

/** Lists rows, except those of deleted users (`/v0` contract, 15.2). */
export async function listOfUsers<R extends Row & { user_id: string | null }, S>(
  entity: Entity<R>,
  account: string,
  page: Page | undefined,
  show: (row: R) => S,
) {
  const deletedUsers = await readDeletedUsers(account)
  const isVisible = ({ user_id }: R) => user_id === null || !deletedUsers.has(user_id)
  return listV0Rows(entity, account, page, show, deletedUsers.size === 0 ? undefined : isVisible)
}
