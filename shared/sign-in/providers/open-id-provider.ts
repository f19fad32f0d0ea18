import { type AuthProviderRow, authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { getRow } from '../../table/read.ts'
import type { OpenIdKind } from './provider-app.ts'

const openIdKinds: OpenIdKind[] = ['oidc', 'suite', 'tenant', 'idp']

/** Finds the provider with this id that browsers are redirected to, of any kind; null where there is none. */
export async function openIdProvider(
  account: string,
  id: string,
): Promise<{ kind: OpenIdKind; row: AuthProviderRow } | null> {
  const rows = await Promise.all(openIdKinds.map((kind) => getRow(authProviders[kind], account, id)))
  const found = openIdKinds.flatMap((kind, i) => (rows[i] ? [{ kind, row: rows[i] }] : []))
  return found[0] ?? null
}
