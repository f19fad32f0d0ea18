import { resealSecret } from '../../core/secrets/sealed-secret.ts'
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
