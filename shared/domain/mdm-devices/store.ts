import { notFound } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { listRows } from '../../table/list.ts'
import { findUnique, getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { mdmDevices } from './mdm-device.ts'

export async function list(account: string, page: Page) {
  const { rows, metadata } = await listRows(mdmDevices, account, page)
  return { data: rows, metadata }
}

/** By its id, or by the vendor's where that has 24 hexadecimal characters (A28.2). */
export async function get(account: string, id: string) {
  const row = isUuid(id)
    ? await getRow(mdmDevices, account, id)
    : await findUnique(mdmDevices, account, 'mdm_devices.mdm_id', id)
  if (!row) throw notFound()
  return { data: row }
}
