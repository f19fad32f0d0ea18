import { randomUUID } from 'node:crypto'
import {
  type AuthProviderRow,
  authProviderDefaults,
  authProviders,
  commonDefaults,
  type ProviderKind,
} from '#shared/domain/auth-providers/auth-provider.ts'
import { issueSession } from '#shared/sign-in/sessions/issue-session.ts'
import type { SignInContext } from '#shared/sign-in/sign-in-context.ts'
import type { Account } from './account.ts'
import { insertActor, insertRow } from './rows.ts'

export const signInOrigin = {
  ip: '198.51.100.7',
  ip_region: null,
  ip_city: null,
  ip_lat: null,
  ip_lon: null,
  user_agent: 'browser',
}

export const insertProvider = (
  accountId: string,
  kind: ProviderKind = 'tenant',
  fields: Partial<AuthProviderRow> = {},
): Promise<AuthProviderRow> =>
  insertRow(accountId, authProviders[kind], {
    account_id: accountId,
    issuer: `https://${randomUUID()}.example.com`,
    ...commonDefaults,
    ...authProviderDefaults[kind],
    ...fields,
    name: fields.name ?? `Provider ${randomUUID()}`,
  })

export const insertAdmin = (accountId: string) =>
  insertActor(accountId, { type: 'account_admin_user', name: 'Grace', email: `${randomUUID()}@example.com` })

/** Issues a session as a sign-in does. Creates the administrator and the provider if `given` omits them. */
export async function signInWith(
  { id }: Pick<Account, 'id'>,
  context: SignInContext,
  given: { actorId?: string; provider?: AuthProviderRow; kind?: ProviderKind } = {},
) {
  const { kind = 'tenant' } = given
  const provider = given.provider ?? (await insertProvider(id, kind))
  const actorId = given.actorId ?? (await insertAdmin(id)).id
  const issued = await issueSession(id, { actorId, provider: { kind, id: provider.id }, context, origin: signInOrigin })
  return { ...issued, provider }
}
