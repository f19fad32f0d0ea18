import type { Entity, Row } from '../../table/entity.ts'
import type { Page } from '../../values/page.ts'
import { listV0Rows, listVisibleV0Rows } from '../values/list-rows.ts'
import { goneUsers } from './gone-users.ts'

/** Rows that can belong to a user, without those that a deletion of their user has yet to remove (15.2). */
export async function listOfUsers<R extends Row & { user_id: string | null }>(
  entity: Entity<R>,
  account: string,
  page: Page | undefined,
  shown?: (row: R) => unknown,
) {
  const gone = await goneUsers(account)
  if (gone.size === 0) return listV0Rows(entity, account, page, shown)
  const isVisible = ({ user_id }: R) => user_id === null || !gone.has(user_id)
  return listVisibleV0Rows(entity, account, page, isVisible, shown)
}
