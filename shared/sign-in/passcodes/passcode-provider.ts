import { type AuthProviderRow, authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'

/** The account's provider of kind email_otp, of which there is at most one (A25.2(4)). */
export async function passcodeProvider(accountId: string): Promise<AuthProviderRow | null> {
  const entity = authProviders.email_otp
  const [item] = await queryItems(partition(accountId, entity.name), { limit: 1 })
  return item ? itemRow(entity, item) : null
}
