import type { Transaction } from '../../commit/transaction.ts'
import type { Key } from '../../table/keys.ts'
import { partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { type AuthProviderRow, authProviders, type ProviderKind } from './auth-provider.ts'

const pointerKey = (account: string): Key => ({ pk: partition(account, 'auth_providers.default'), sk: 'default' })

type Pointer = { provider_kind: ProviderKind; provider_id: string }

/** Keeps what an account's one default provider is (A25.1): setting a new one clears the old one, of whatever kind. */
export async function settleDefault(
  transaction: Transaction,
  kind: ProviderKind,
  before: AuthProviderRow | null,
  after: AuthProviderRow | null,
): Promise<void> {
  const was = before?.is_default === true
  const is = after?.is_default === true
  if (was === is) return
  const key = pointerKey(transaction.accountId)
  if (!is) return transaction.remove(key)
  const pointer = (await getItem(key)) as Pointer | undefined
  if (pointer) {
    const other = await transaction.get(authProviders[pointer.provider_kind], pointer.provider_id)
    if (other) transaction.update(authProviders[pointer.provider_kind], other, { is_default: false })
  }
  transaction.put({ ...key, kind: 'pointer', provider_kind: kind, provider_id: after.id } satisfies Pointer &
    Key & { kind: string })
}
