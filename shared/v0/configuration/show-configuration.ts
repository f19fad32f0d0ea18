import { openSecret } from '../../core/secrets/sealed-secret.ts'
import type { V0Lists } from '../../domain/accounts/account.ts'
import { showList } from '../values/shown-list.ts'
import type { V0ConfigurationRow } from './configuration.ts'

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

/** A configuration as an answer shows it: opened, and its lists in the form that the account has chosen (5.8). */
export async function showConfiguration(account: string, row: V0ConfigurationRow, lists: V0Lists) {
  const { default_client_allowed_ips, default_client_dns, ...open } = await openConfiguration(account, row)
  return {
    ...open,
    default_client_allowed_ips: showList(default_client_allowed_ips, lists),
    default_client_dns: showList(default_client_dns, lists),
  }
}
