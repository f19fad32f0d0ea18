import { describe, expect, it } from 'vitest'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as createProviderOfAnyKind } from '#functions/api/auth-providers/create-auth-provider.ts'
import { handler as deleteProviderOfAnyKind } from '#functions/api/auth-providers/delete-auth-provider.ts'
import { handler as updateProviderOfAnyKind } from '#functions/api/auth-providers/update-auth-provider.ts'
import { handler as createDirectoryOfAnyKind } from '#functions/api/directories/create-directory.ts'
import { handler as deleteDirectoryOfAnyKind } from '#functions/api/directories/delete-directory.ts'
import { handler as deleteIdentity } from '#functions/api/external-identities/delete-external-identity.ts'
import { commit } from '#shared/commit/commit.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { heartbeat } from '#test/support/access/gateways.ts'
import { withRoute } from '#test/support/accounts/account.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor, insertRow } from '#test/support/accounts/rows.ts'

const createProvider = withRoute(createProviderOfAnyKind, 'POST /tenant_auth_providers')
const deleteProvider = withRoute(deleteProviderOfAnyKind, 'DELETE /tenant_auth_providers/{id}')
const updateProvider = withRoute(updateProviderOfAnyKind, 'PATCH /tenant_auth_providers/{id}')
const createDirectory = withRoute(createDirectoryOfAnyKind, 'POST /tenant_directories')
const deleteDirectory = withRoute(deleteDirectoryOfAnyKind, 'DELETE /tenant_directories/{id}')

/** Creates a person with a client token and an identity of a provider, and an authorization that the gateway has received. */
async function grantedToPerson() {
  const world = await newAccessWorld()
  const { account, group, resource } = world
  const gateway = await world.addGateway()
  const issuer = 'https://tenants.example.com/1/v2.0'
  const provider = (await account.call(createProvider, { method: 'POST', body: { tenant_auth_provider: { issuer } } }))
    .body.data
  const directory = (
    await account.call(createDirectory, {
      method: 'POST',
      body: {
        tenant_directory: {
          name: 'Tenant',
          tenant_id: 'tenant.example.com',
          client_id: 'app',
          client_secret: 'secret',
        },
      },
    })
  ).body.data
  const person = await insertActor(account.id, {
    type: 'account_user',
    email: 'grace@example.com',
    created_by_directory_id: directory.id,
  })
  await insertRow(account.id, memberships, { group_id: group.id, actor_id: person.id })
  const identity = await insertIdentity(account.id, person.id, { issuer })
  const { token } = await commit({ accountId: account.id, subject: null }, (transaction) =>
    mintClientToken(transaction, person.id, {
      expires_at: '2099-01-01T00:00:00.000000Z',
      auth_provider_id: provider.id,
    }),
  )
  await world.startSession({}, { token })
  const { id } = (await world.ask({ resource_id: resource.id }, { token })).body.data
  const { since } = (await heartbeat(gateway.token, gateway.session.id)).body.data
  const changed = async () => (await heartbeat(gateway.token, gateway.session.id, { session: { since } })).body.data
  const ask = () => world.ask({ resource_id: resource.id }, { token })
  const administer = (handler: Handler, method: string, params: Record<string, string>, body?: unknown) =>
    account.call(handler, { method, params, body })
  return { administer, provider, directory, person, identity, id, changed, ask }
}

type Person = Awaited<ReturnType<typeof grantedToPerson>>

describe("the end of a sign-in, up to the gateway's next heartbeat (A29, A30, P7)", () => {
  it.each<[string, (p: Person) => Promise<unknown>]>([
    [
      'the auth provider is disabled',
      (p) =>
        p.administer(updateProvider, 'PATCH', { id: p.provider.id }, { tenant_auth_provider: { is_disabled: true } }),
    ],
    ['the auth provider is deleted', (p) => p.administer(deleteProvider, 'DELETE', { id: p.provider.id })],
    [
      'the external identity is deleted',
      (p) => p.administer(deleteIdentity, 'DELETE', { actor_id: p.person.id, id: p.identity.id }),
    ],
    [
      'the email of the actor changes',
      (p) => p.administer(updateActor, 'PATCH', { id: p.person.id }, { actor: { email: 'joan@example.com' } }),
    ],
    [
      'the directory that created the actor is deleted',
      (p) => p.administer(deleteDirectory, 'DELETE', { id: p.directory.id }),
    ],
  ])('%s', async (_cause, happen) => {
    const person = await grantedToPerson()
    expect(await person.changed()).toMatchObject({ added: [], removed: [] })
    expect(await happen(person)).toMatchObject({ status: 200 })
    expect(await person.changed()).toMatchObject({ added: [], removed: [person.id] })
    expect((await person.ask()).status).toBe(401)
  })
})
