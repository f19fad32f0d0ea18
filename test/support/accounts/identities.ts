import { randomUUID } from 'node:crypto'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as createTenantAuthProviderOfAnyKind } from '#functions/api/auth-providers/create-auth-provider.ts'
import { commit } from '#shared/commit/commit.ts'
import type { ActorRow } from '#shared/domain/actors/actor.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { type ExternalIdentityRow, externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { emptyProfile } from '#shared/sign-in/identities/profile-fields.ts'
import { type Account, withRoute } from './account.ts'
import { insertActor, insertRow } from './rows.ts'

const createTenantAuthProvider = withRoute(createTenantAuthProviderOfAnyKind, 'POST /tenant_auth_providers')

/** Inserts an external identity. By default, its fields match those that a sign-in with a portal provider creates. */
export const insertIdentity = (accountId: string, actorId: string, fields: Partial<ExternalIdentityRow> = {}) =>
  insertRow(accountId, externalIdentities, {
    ...emptyProfile,
    actor_id: actorId,
    account_id: accountId,
    issuer: 'https://login.example.com',
    directory_id: null,
    opens_portal: true,
    idp_id: randomUUID(),
    email: 'grace@example.com',
    name: 'Grace',
    synced_at: null,
    ...fields,
  })

export const newIssuer = () => `https://tenants.example.com/${randomUUID()}/v2.0`

export const newPerson = ({ id }: Pick<Account, 'id'>) =>
  insertActor(id, { type: 'account_user', name: 'Grace', email: `${randomUUID()}@example.com` })

/** Moves an email address to a different actor, as an administrator does. The previous owner receives a random address. */
export async function moveEmail(account: Account, from: Pick<ActorRow, 'id' | 'email'>, to: Pick<ActorRow, 'id'>) {
  for (const [id, email] of [
    [from.id, `${randomUUID()}@example.com`],
    [to.id, from.email],
  ]) {
    const moved = await account.call(updateActor, {
      method: 'PATCH',
      params: { id: id ?? '' },
      body: { actor: { email } },
    })
    if (moved.status !== 200) throw new Error(moved.text)
  }
}

export async function mintProviderToken(account: Account, actorId: string, issuer: string) {
  const tenant_auth_provider = { name: issuer, issuer }
  const provider = await account.call(createTenantAuthProvider, { method: 'POST', body: { tenant_auth_provider } })
  const { id } = provider.body.data
  return commit({ accountId: account.id, subject: null }, (transaction) =>
    mintClientToken(transaction, actorId, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id: id }),
  )
}
