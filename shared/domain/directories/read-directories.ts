import { notFound } from '../../core/errors.ts'
import { listRows } from '../../table/list.ts'
import { getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { withLastRun, withLastRuns } from '../sync/last-good-run.ts'
import { type DirectoryKind, directories } from './directory.ts'

export async function list(kind: DirectoryKind, account: string, page: Page) {
  const { rows, metadata } = await listRows(directories[kind], account, page, {
    edges: page.filters,
    newestFirst: true,
  })
  return { data: await withLastRuns(rows), metadata }
}

export async function get(kind: DirectoryKind, account: string, id: string) {
  const directory = await getRow(directories[kind], account, id)
  if (!directory) throw notFound()
  return { data: await withLastRun(directory) }
}
