import { beforeAll, describe, expect, it } from 'vitest'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as deleteExternalIdentity } from '#functions/api/external-identities/delete-external-identity.ts'
import { handler as getExternalIdentity } from '#functions/api/external-identities/get-external-identity.ts'
import { handler as listExternalIdentities } from '#functions/api/external-identities/list-external-identities.ts'
import { handler as createTenantAuthProvider } from '#functions/api/tenant-auth-providers/create-tenant-auth-provider.ts'
import { clientTokens } from '#shared/client-tokens/client-token.ts'
import { mintClientToken } from '#shared/client-tokens/mint-client-token.ts'
import { commit } from '#shared/table/commit.ts'
import { rowsBy } from '#shared/table/read.ts'
import { newAccount } from '#test/support/account.ts'
import { commitsOf, followUpAll } from '#test/support/commit-stream.ts'
import { insertIdentity } from '#test/support/identities.ts'
import { insertActor } from '#test/support/rows.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const unknown = '0198a000-0000-7000-8000-000000000000'
let count = 0
const newPerson = () =>
  insertActor(account.id, { type: 'account_user', name: 'Grace', email: `grace-${count++}@example.com` })
const list = (actor_id: string, query = {}) => account.call(listExternalIdentities, { params: { actor_id }, query })
const issuerOf = (name: string) => `https://${name}-${count++}.example.com`

/** A provider of this issuer, and a client token that it made for the actor. */
async function signIn(actorId: string, issuer: string) {
  const tenant_auth_provider = { name: issuer, issuer }
  const provider = await account.call(createTenantAuthProvider, { method: 'POST', body: { tenant_auth_provider } })
  const { id } = provider.body.data
  return commit({ accountId: account.id, subject: null }, (transaction) =>
    mintClientToken(transaction, actorId, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id: id }),
  )
}
const tokensOf = async (actorId: string) =>
  (await rowsBy(clientTokens, account.id, 'actor_id', actorId)).map(({ id }) => id)

describe('GET', () => {
  it('shows the identities of an actor, newest first, with every key', async () => {
    const actor = await newPerson()
    const first = await insertIdentity(account.id, actor.id, { issuer: issuerOf('a') })
    const second = await insertIdentity(account.id, actor.id, { issuer: issuerOf('b'), synced_at: null })
    const listed = (await list(actor.id)).body
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
    expect(listed.metadata).toMatchObject({ total: 2, count: 2 })
    const { updated_at: _updatedAt, ...shown } = first
    const params = { actor_id: actor.id, id: first.id }
    expect((await account.call(getExternalIdentity, { params })).body.data).toEqual(shown)
  })

  it('does not know the identity of another actor', async () => {
    const [one, other] = [await newPerson(), await newPerson()]
    const { id } = await insertIdentity(account.id, one.id, { issuer: issuerOf('c') })
    const params = { actor_id: other.id, id }
    expect((await account.call(getExternalIdentity, { params })).status).toBe(404)
    expect((await account.call(deleteExternalIdentity, { method: 'DELETE', params })).status).toBe(404)
    expect((await list(unknown)).status).toBe(404)
    expect((await list(other.id)).body.data).toEqual([])
  })
})

describe('DELETE', () => {
  it('answers the identity and ends the client tokens of its issuer; the actor stays', async () => {
    const actor = await newPerson()
    const issuer = issuerOf('d')
    const identity = await insertIdentity(account.id, actor.id, { issuer })
    await signIn(actor.id, issuer)
    const other = await signIn(actor.id, issuerOf('e'))
    const params = { actor_id: actor.id, id: identity.id }
    const answer = await account.call(deleteExternalIdentity, { method: 'DELETE', params })
    expect([answer.status, answer.body.data.id]).toEqual([200, identity.id])
    expect(await tokensOf(actor.id)).toEqual([other.id])
    const objects = (await commitsOf(account.id)).at(-1)?.changes.map(({ object }) => object)
    expect(objects).toEqual(['client_tokens', 'external_identities'])
    expect((await account.call(deleteExternalIdentity, { method: 'DELETE', params })).status).toBe(404)
  })
})

describe('a change of the email', () => {
  it('deletes all identities in the same commit, with the tokens of their issuers', async () => {
    const actor = await newPerson()
    const issuer = issuerOf('f')
    await insertIdentity(account.id, actor.id, { issuer })
    await insertIdentity(account.id, actor.id, { issuer: issuerOf('g') })
    await signIn(actor.id, issuer)
    const change = (email: string) =>
      account.call(updateActor, { method: 'PATCH', params: { id: actor.id }, body: { actor: { email } } })
    expect((await change((actor.email as string).toUpperCase())).status).toBe(200)
    expect((await list(actor.id)).body.metadata.total).toBe(2)
    expect((await change(`new-${actor.email}`)).status).toBe(200)
    expect((await list(actor.id)).body.metadata.total).toBe(0)
    expect(await tokensOf(actor.id)).toEqual([])
    const objects = (await commitsOf(account.id)).at(-1)?.changes.map(({ object }) => object)
    expect(objects?.sort()).toEqual(['actors', 'client_tokens', 'external_identities', 'external_identities'])
  })
})

describe('the deletion of the actor', () => {
  it('takes the identities along', async () => {
    const actor = await newPerson()
    const issuer = issuerOf('h')
    const { idp_id } = await insertIdentity(account.id, actor.id, { issuer })
    await account.call(deleteActor, { method: 'DELETE', params: { id: actor.id } })
    await followUpAll(account.id)
    const heir = await newPerson()
    expect((await insertIdentity(account.id, heir.id, { issuer, idp_id })).actor_id).toBe(heir.id)
  })
})
