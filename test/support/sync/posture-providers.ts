import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { getRow } from '#shared/table/read.ts'
import type { Account } from '../accounts/account.ts'

type Fields = Record<string, unknown>

let count = 0

export const mdmFields = (fields: Fields = {}): Fields => ({
  type: 'mdm',
  name: `Fleet ${count++}`,
  subdomain: 'company',
  region: 'eu',
  api_token: 'inventory-token-0123',
  ...fields,
})

export const tenantFields = (fields: Fields = {}): Fields => ({
  type: 'tenant',
  name: `Tenant ${count++}`,
  tenant_id: 't-1.example.com',
  client_id: 'inventory-app',
  client_secret: 'tenant-secret-0123',
  ...fields,
})

export async function storedProvider(account: Account, id: string) {
  const row = await getRow(postureProviders, account.id, id)
  if (!row) throw new Error('It is gone.')
  return row
}
