import { notFound } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { listRows } from '../../table/list.ts'
import { findUnique, getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { foldAscii } from '../../values/text.ts'
import { withLastRuns } from '../sync/sync-state.ts'
import { type MdmDeviceRow, mdmDevices } from './mdm-device.ts'

/** Sets `synced_at` to the start of the provider's last successful run. Rows keep their own value until a run has succeeded (I7.3). */
const render = (account: string, rows: MdmDeviceRow[]): Promise<MdmDeviceRow[]> =>
  withLastRuns(account, rows, ({ posture_provider_id }) => posture_provider_id)

export async function list(account: string, page: Page) {
  const { email, ...others } = page.filters
  const indexes = email === undefined ? others : { email: foldAscii(email), ...others }
  const { rows, metadata } = await listRows(mdmDevices, account, page, { indexes })
  return { data: await render(account, rows), metadata }
}

/** Reads a device by its UUID, or by the 24-digit hexadecimal id of its vendor (A28.2). */
export async function get(account: string, id: string) {
  const row = isUuid(id)
    ? await getRow(mdmDevices, account, id)
    : await findUnique(mdmDevices, account, 'mdm_devices.mdm_id', id)
  const [data] = row ? await render(account, [row]) : []
  if (!data) throw notFound()
  return { data }
}
