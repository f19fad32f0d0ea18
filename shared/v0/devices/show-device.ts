import { openSecret } from '../../core/secrets/sealed-secret.ts'
import type { V0Lists } from '../../domain/accounts/account.ts'
import type { V0ConfigurationRow } from '../configuration/configuration.ts'
import { showList } from '../values/shown-list.ts'
import { type OwnValueName, type OwnValues, ownValueNames, type V0DeviceRow } from './device.ts'

/** The values of the configuration that devices use by default. */
export type Defaults = Pick<V0ConfigurationRow, `default_client_${OwnValueName}`>

/** A device with the configuration's values where its flags say so (`/v0` contract, 10.2). */
function withDefaults(device: V0DeviceRow, defaults: Defaults): V0DeviceRow {
  const effective = ownValueNames.flatMap((name) =>
    device[`use_default_${name}`] ? [[name, defaults[`default_client_${name}`]]] : [],
  )
  return { ...device, ...(Object.fromEntries(effective) as Partial<OwnValues>) }
}

/** What a device shows but for its preshared key. */
export function showValues(device: V0DeviceRow, defaults: Defaults, lists: V0Lists) {
  const shown = withDefaults(device, defaults)
  return { ...shown, allowed_ips: showList(shown.allowed_ips, lists), dns: showList(shown.dns, lists) }
}

/** A stored device as it is shown: with its effective values, and with its preshared key. */
export const showDevice = async (account: string, device: V0DeviceRow, defaults: Defaults, lists: V0Lists) => ({
  ...showValues(device, defaults, lists),
  preshared_key: await openSecret(account, device.preshared_key),
})
