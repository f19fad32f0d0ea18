import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { getRow } from '#shared/table/read.ts'
import type { Account } from '../accounts/account.ts'

type Fields = Record<string, unknown>

let count = 0

/** Fields of a new posture provider of type `mdm`. */
export const mdmFields = (fields: Fields = {}): Fields => ({
  type: 'mdm',
  name: `Fleet ${count++}`,
  subdomain: 'company',
  region: 'eu',
  api_token: 'inventory-token-0123',
  ...fields,
})

/** Fields of a new posture provider of type `tenant`. */
export const tenantFields = (fields: Fields = {}): Fields => ({
  type: 'tenant',
  name: `Tenant ${count++}`,
  tenant_id: 't-1.example.com',
  client_id: 'inventory-app',
  client_secret: 'tenant-secret-0123',
  ...fields,
})

/** Reads the stored row of a posture provider. */
export async function storedProvider(account: Account, id: string) {
  const row = await getRow(postureProviders, account.id, id)
  if (!row) throw new Error('It is gone.')
  return row
}
