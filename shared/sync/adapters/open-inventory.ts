import { env } from '../../core/env.ts'
import { openSecret } from '../../core/secrets/sealed-secret.ts'
import type { PostureProviderRow } from '../../domain/posture-providers/posture-provider.ts'
import { guardedFetch } from '../../outside/guarded-fetch.ts'
import type { InventoryAdapter } from '../inventory-adapter.ts'
import { ProviderFault } from '../provider-fault.ts'
import { managedDevices } from '../providers/managed-devices/pages.ts'
import { mdmInventory } from '../providers/mdm/pages.ts'
import { openGraph, pageLimits } from './open-directory.ts'
import { withinStep } from './within-step.ts'

/** What a header can carry: a token that was copied with a line break or with quotation marks would never be sent. */
const isToken = /^[\x21-\x7e]+$/

/**
 * The adapter of a device inventory, with its credentials (I7.2). One for a step of a run.
 * @param deadline of the step, in milliseconds since 1970
 * @throws ProviderFault fatal where a credential is missing
 */
export async function openInventory(
  row: PostureProviderRow,
  deadline = Number.POSITIVE_INFINITY,
): Promise<InventoryAdapter> {
  const fetch = withinStep(guardedFetch(pageLimits), deadline)
  if (row.type === 'tenant') return managedDevices(await openGraph(row), fetch)
  const { subdomain, region, api_token } = row
  if (!subdomain || !region || !api_token) {
    throw new ProviderFault('fatal', 'subdomain, region and api_token have to be entered.')
  }
  const apiUrl = env.mdmApiUrl
    .replace('{subdomain}', subdomain)
    .replace('{.region}', region === 'us' ? '' : `.${region}`)
  const apiToken = await openSecret(row.account_id, api_token)
  if (!isToken.test(apiToken)) {
    const sentence = 'api_token has a character that no token has: it has to be entered as the device service shows it.'
    throw new ProviderFault('fatal', sentence)
  }
  return mdmInventory({ apiUrl, apiToken }, fetch)
}
