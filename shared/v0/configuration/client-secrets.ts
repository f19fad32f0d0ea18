import { openSecret, resealSecret } from '../../core/sealed-secret.ts'
import type { V0ConfigurationRow } from './configuration.ts'
import type { V0OpenIdProvider } from './provider.ts'

/** Items as they are stored: with their client secrets sealed, as they are already where they stay. */
export const sealItems = (
  account: string,
  items: V0OpenIdProvider[],
  stored: V0OpenIdProvider[],
): Promise<V0OpenIdProvider[]> =>
  Promise.all(
    items.map(async (item, i) => ({
      ...item,
      client_secret: await resealSecret(account, item.client_secret, stored[i]?.client_secret ?? null),
    })),
  )

/** A configuration with its client secrets as they are shown (`/v0` contract, 12.4). */
export async function openConfiguration(account: string, row: V0ConfigurationRow): Promise<V0ConfigurationRow> {
  const openid_connect_providers = await Promise.all(
    row.openid_connect_providers.map(async (item) => ({
      ...item,
      client_secret: await openSecret(account, item.client_secret),
    })),
  )
  return { ...row, openid_connect_providers }
}
