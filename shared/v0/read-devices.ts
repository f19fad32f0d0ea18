import type { V0Lists } from '../domain/accounts/account.ts'
import type { Page } from '../values/page.ts'
import { readConfiguration, type V0ConfigurationRow } from './configuration.ts'
import { type OwnValueName, type OwnValues, ownValueNames, type V0DeviceRow, v0Devices } from './device.ts'
import { findOfUser, listOfUsers } from './read-users.ts'
import { showList } from './shown-list.ts'

/** Lists devices. The size limit applies to the values in the response, not to the stored values (`/v0` contract, 6.4). */
export async function list(account: string, page: Page | undefined, lists: V0Lists) {
  const defaults = await readConfiguration(account)
  return listOfUsers(v0Devices, account, page, (device) => showDevice(device, defaults, lists))
}

export async function get(account: string, id: string, lists: V0Lists) {
  const [device, defaults] = await Promise.all([findOfUser(v0Devices, account, id), readConfiguration(account)])
  return { data: showDevice(device, defaults, lists) }
}

export type Defaults = Pick<V0ConfigurationRow, `default_client_${OwnValueName}`>

/** Replaces each value whose `use_default_` flag is set with the configuration's value (`/v0` contract, 10.2). */
function withDefaults(device: V0DeviceRow, defaults: Defaults): V0DeviceRow {
  const effective = ownValueNames.flatMap((name) =>
    device[`use_default_${name}`] ? [[name, defaults[`default_client_${name}`]]] : [],
  )
  return { ...device, ...(Object.fromEntries(effective) as Partial<OwnValues>) }
}

export function showDevice(device: V0DeviceRow, defaults: Defaults, lists: V0Lists) {
  const effectiveDevice = withDefaults(device, defaults)
  return {
    ...effectiveDevice,
    allowed_ips: showList(effectiveDevice.allowed_ips, lists),
    dns: showList(effectiveDevice.dns, lists),
  }
}
