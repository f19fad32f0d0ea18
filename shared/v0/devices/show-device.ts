import { openSecret } from '../../core/sealed-secret.ts'
import type { V0ConfigurationRow } from '../configuration/configuration.ts'
import { type OwnValueName, type OwnValues, ownValueNames, type V0DeviceRow } from './device.ts'

/** What devices take from the configuration. */
export type Defaults = Pick<V0ConfigurationRow, `default_client_${OwnValueName}`>

/**
 * A stored device as it is shown: with its preshared key, and with the configuration's values where its flags say so
 * (`/v0` contract, 10.2).
 */
export async function showDevice(account: string, device: V0DeviceRow, defaults: Defaults): Promise<V0DeviceRow> {
  const effective = ownValueNames.flatMap((name) =>
    device[`use_default_${name}`] ? [[name, defaults[`default_client_${name}`]]] : [],
  )
  return {
    ...device,
    ...(Object.fromEntries(effective) as Partial<OwnValues>),
    preshared_key: await openSecret(account, device.preshared_key),
  }
}
