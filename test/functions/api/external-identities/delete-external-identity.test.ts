import { beforeAll, describe, expect, it } from 'vitest'
import { handler as deleteExternalIdentity } from '#functions/api/external-identities/delete-external-identity.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { rowsBy } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { insertIdentity, mintProviderToken, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const remove = (actor_id: string, id: string) =>
  account.call(deleteExternalIdentity, { method: 'DELETE', params: { actor_id, id } })

describe('DELETE /actors/{actor_id}/external_identities/{id} (A27)', () => {
  it('returns the identity and ends the client tokens of its issuer; the actor stays', async () => {
    const actor = await newPerson(account)
    const issuer = newIssuer()
    const identity = await insertIdentity(account.id, actor.id, { issuer })
    await mintProviderToken(account, actor.id, issuer)
    const other = await mintProviderToken(account, actor.id, newIssuer())
    const answer = await remove(actor.id, identity.id)
    expect([answer.status, answer.body.data.id]).toEqual([200, identity.id])
    const tokens = await rowsBy(clientTokens, account.id, 'actor_id', actor.id)
    expect(tokens.map(({ id }) => id)).toEqual([other.id])
    const objects = (await readCommits(account.id)).at(-1)?.changes.map(({ object }) => object)
    expect(objects).toEqual(['client_tokens', 'external_identities'])
    expect((await remove(actor.id, identity.id)).status).toBe(404)
    expect((await actorsApi.get(account, actor.id)).status).toBe(200)
  })

  it("keeps the issuer's tokens of other actors", async () => {
    const [one, other] = [await newPerson(account), await newPerson(account)]
    const issuer = newIssuer()
    const identity = await insertIdentity(account.id, one.id, { issuer })
    const token = await mintProviderToken(account, other.id, issuer)
    await remove(one.id, identity.id)
    expect((await rowsBy(clientTokens, account.id, 'actor_id', other.id)).map(({ id }) => id)).toEqual([token.id])
  })

  it('returns 404 for the identity of another actor', async () => {
    const [one, other] = [await newPerson(account), await newPerson(account)]
    const { id } = await insertIdentity(account.id, one.id, { issuer: newIssuer() })
    expect((await remove(other.id, id)).status).toBe(404)
    expect((await remove(unknownId, id)).status).toBe(404)
    expect((await remove(one.id, id)).status).toBe(200)
  })
})
