import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getExternalIdentity } from '#functions/api/external-identities/get-external-identity.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertIdentity, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const get = (actor_id: string, id: string) => account.call(getExternalIdentity, { params: { actor_id, id } })

describe('GET /actors/{actor_id}/external_identities/{id} (A27)', () => {
  it('returns an identity with every key, null for unknown values', async () => {
    const actor = await newPerson(account)
    const row = await insertIdentity(account.id, actor.id, { issuer: newIssuer(), synced_at: null })
    const { updated_at: _updatedAt, opens_portal: _opensPortal, ...shown } = row
    const { status, body } = await get(actor.id, row.id)
    expect([status, body.data]).toEqual([200, shown])
    expect(Object.keys(body.data).sort()).toEqual(
      [
        ...['id', 'actor_id', 'account_id', 'issuer', 'directory_id', 'idp_id', 'email', 'name', 'given_name'],
        ...['middle_name', 'family_name', 'nickname', 'preferred_username', 'picture', 'profile', 'svc_avatar_url'],
        ...['synced_at', 'inserted_at'],
      ].sort(),
    )
  })

  it('returns 404 for the identity of another actor', async () => {
    const [one, other] = [await newPerson(account), await newPerson(account)]
    const { id } = await insertIdentity(account.id, one.id, { issuer: newIssuer() })
    expect((await get(other.id, id)).status).toBe(404)
    expect((await get(one.id, unknownId)).status).toBe(404)
    expect((await get(unknownId, id)).status).toBe(404)
    expect((await get(one.id, id)).status).toBe(200)
  })
})
