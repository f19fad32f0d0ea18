import type { Entity, Row } from '../table/entity.ts'
import { listRows } from '../table/list.ts'
import { existingRow } from '../table/read.ts'
import type { Page } from '../values/page.ts'

/** Adds to rows the fields that are stored beside them. */
type Shown<R, S> = (account: string, rows: R[]) => S[] | Promise<S[]>

type Selection<R, S> = { indexes?: Page['filters']; newestFirst?: boolean; shown?: Shown<R, S> }

/** A page of a collection by its filters (A7), with the fields that are stored beside its rows. */
export async function listShown<R extends Row, S extends R = R>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { indexes = page.filters, newestFirst = false, shown = (_account, rows) => rows as S[] }: Selection<R, S> = {},
) {
  const { rows, metadata } = await listRows(entity, account, page, { indexes, newestFirst })
  return { data: await shown(account, rows), metadata }
}

/** Object with the fields that are stored beside its row. @throws ApiError 404 */
export async function getShown<R extends Row, S extends R = R>(
  entity: Entity<R>,
  account: string,
  id: string,
  shown: Shown<R, S> = (_account, rows) => rows as S[],
) {
  const [data] = await shown(account, [await existingRow(entity, account, id)])
  return { data: data as S }
}
