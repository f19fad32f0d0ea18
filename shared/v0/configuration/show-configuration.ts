import { openSecret } from '../../core/sealed-secret.ts'
import type { V0ConfigurationRow } from './configuration.ts'

/** A configuration as it is shown: with its client secrets (`/v0` contract, 12.4). */
export async function showConfiguration(account: string, row: V0ConfigurationRow): Promise<V0ConfigurationRow> {
  const openid_connect_providers = await Promise.all(
    row.openid_connect_providers.map(async (item) => ({
      ...item,
      client_secret: await openSecret(account, item.client_secret),
    })),
  )
  return { ...row, openid_connect_providers }
}
