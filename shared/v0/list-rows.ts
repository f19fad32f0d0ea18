import * as v from 'valibot'
import { type Entity, itemRow, type Row } from '../table/entity.ts'
import { partition } from '../table/keys.ts'
import { listRows, Metadata, pageOfRows } from '../table/list.ts'
import { queryItems } from '../table/read.ts'
import type { Page } from '../values/page.ts'

/** Maximum size in bytes of an unpaginated list (`/v0` contract, 6.4). Pages are truncated to fit. */
export const maxListBytes = 5_242_880

/** Response to a list request: all rows, or a page of rows with metadata (`/v0` contract, 6.1, 6.2). */
export const v0List = <S extends v.GenericSchema>(schema: S) =>
  v.object({ data: v.array(schema), metadata: v.optional(Metadata) })

/**
 * Lists all rows or the requested page, rendered by `show`. If `isVisible` is given to hide rows, even a page requires reading all rows.
 */
export async function listV0Rows<R extends Row, S>(
  entity: Entity<R>,
  account: string,
  page: Page | undefined,
  show: (row: R) => S,
  isVisible?: (row: R) => boolean,
): Promise<{ data: S[]; metadata?: Metadata }> {
  if (page && !isVisible) {
    const { rows, metadata } = await listRows(entity, account, page, { render: show })
    return { data: rows.map(show), metadata }
  }
  const all = (await queryItems(partition(account, entity.name))).map((item) => itemRow(entity, item))
  const visible = isVisible ? all.filter(isVisible) : all
  if (!page) return { data: visible.map(show) }
  const entries = visible.map((row) => ({ id: row.id, row: () => row }))
  const { rows, metadata } = await pageOfRows(entries, page, { render: show })
  return { data: rows.map(show), metadata }
}
