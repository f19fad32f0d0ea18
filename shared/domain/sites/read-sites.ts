import { notFound } from '../../core/errors.ts'
import { listRows } from '../../table/list.ts'
import { getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { sites } from './site.ts'

export async function list(account: string, page: Page) {
  const { rows, metadata } = await listRows(sites, account, page, { edges: page.filters })
  return { data: rows, metadata }
}

export async function get(account: string, id: string) {
  const site = await getRow(sites, account, id)
  if (!site) throw notFound()
  return { data: site }
}
