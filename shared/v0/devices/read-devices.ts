import { notFound } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import type { V0Lists } from '../../domain/accounts/account.ts'
import { getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { isGone } from '../users/gone-users.ts'
import { listOfUsers } from '../users/list-of-users.ts'
import { type V0DeviceRow, v0Devices } from './device.ts'
import { showDevice, showValues } from './show-device.ts'

/** The size of a page is measured with the values that devices show, not those they store (6.4). */
export async function list(account: string, page: Page | undefined, lists: V0Lists) {
  const defaults = await readConfiguration(account)
  const { rows, metadata } = await listOfUsers(v0Devices, account, page, (device) =>
    showValues(device, defaults, lists),
  )
  return { data: await Promise.all(rows.map((row) => showDevice(account, row, defaults, lists))), metadata }
}

/** @throws ApiError `not_found` */
export async function find(account: string, id: string): Promise<V0DeviceRow> {
  const device = isUuid(id) ? await getRow(v0Devices, account, id.toLowerCase()) : null
  if (!device || (await isGone(account, device.user_id))) throw notFound()
  return device
}

export async function get(account: string, id: string, lists: V0Lists) {
  const [device, defaults] = await Promise.all([find(account, id), readConfiguration(account)])
  return { data: await showDevice(account, device, defaults, lists) }
}
