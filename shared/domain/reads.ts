import type { Entity, Row } from '../table/entity.ts'
import { listRows } from '../table/list.ts'
import { existingRow } from '../table/read.ts'
import { divideFilters, type ScanMetadata, type ScanTests, scanRows } from '../table/scan-rows.ts'
import type { Page } from '../values/page.ts'

/** Adds fields to rows that are stored in separate items, such as presence items. */
type Render<R, S> = (account: string, rows: R[]) => S[] | Promise<S[]>

type Selection<R, S> = { indexes?: Page['filters']; newestFirst?: boolean; render?: Render<R, S> }

/** Lists a page of a collection (A7). `render` adds fields that are stored in separate items. */
export async function listRendered<R extends Row, S extends R = R>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { indexes = page.filters, newestFirst = false, render = (_account, rows) => rows as S[] }: Selection<R, S> = {},
) {
  const { rows, metadata } = await listRows(entity, account, page, { indexes, newestFirst })
  return { data: await render(account, rows), metadata }
}

/** Test of the filter `is_disabled`, which has no index (K11.G13). */
export const disabledTests: ScanTests<{ is_disabled: boolean }> = {
  is_disabled: ({ row }, value) => String(row.is_disabled) === value,
}

/** Lists a page like `listRendered`, also with filters that have no index but a test. */
export async function listTested<R extends Row, S extends R = R>(
  entity: Entity<R>,
  account: string,
  page: Page,
  tests: ScanTests<R>,
  { newestFirst = false, render = (_account, rows) => rows as S[] }: Omit<Selection<R, S>, 'indexes'> = {},
): Promise<{ data: S[]; metadata: ScanMetadata }> {
  const { indexes, matches } = divideFilters(page.filters, tests)
  if (!matches) return listRendered(entity, account, page, { indexes, newestFirst, render })
  const { entries, metadata } = await scanRows(entity, account, page, { indexes, matches, newestFirst })
  const rows = entries.map(({ row }) => row)
  return { data: await render(account, rows), metadata }
}

/** Reads an object. `render` adds fields that are stored in separate items. @throws ApiError 404 */
export async function getRendered<R extends Row, S extends R = R>(
  entity: Entity<R>,
  account: string,
  id: string,
  render: Render<R, S> = (_account, rows) => rows as S[],
) {
  const [data] = await render(account, [await existingRow(entity, account, id)])
  return { data: data as S }
}
