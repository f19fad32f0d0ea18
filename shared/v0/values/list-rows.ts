import * as v from 'valibot'
import { type Entity, itemRow, type Row } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { listRows, Metadata, pageOf } from '../../table/list.ts'
import { queryItems } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'

/** The bound of an unpaged list (`/v0` contract, 6.4); a page is always smaller. */
export const maxListBytes = 5_242_880

/** Response of a list under `/v0`: all rows, or a page of them with its metadata (6.1, 6.2). */
export const v0List = <S extends v.GenericSchema>(schema: S) =>
  v.object({ data: v.array(schema), metadata: v.optional(Metadata) })

async function allRows<R extends Row>(entity: Entity<R>, account: string): Promise<R[]> {
  return (await queryItems(partition(account, entity.name))).map((item) => itemRow(entity, item))
}

/** All rows, or a page of them where one is asked for. */
export async function listV0Rows<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page | undefined,
  shown?: (row: R) => unknown,
): Promise<{ rows: R[]; metadata?: Metadata }> {
  return page ? listRows(entity, account, page, { shown }) : { rows: await allRows(entity, account) }
}

/** The same of the rows that are visible, for the moments in which some are not. */
export async function listVisibleV0Rows<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page | undefined,
  isVisible: (row: R) => boolean,
  shown?: (row: R) => unknown,
): Promise<{ rows: R[]; metadata?: Metadata }> {
  const rows = (await allRows(entity, account)).filter(isVisible)
  return page
    ? pageOf(
        rows.map((row) => ({ id: row.id, row: () => row })),
        page,
        { shown },
      )
    : { rows }
}
