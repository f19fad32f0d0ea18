import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listExternalIdentities } from '#functions/api/external-identities/list-external-identities.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertIdentity, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const list = (actor_id: string, query = {}) => account.call(listExternalIdentities, { params: { actor_id }, query })
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

describe('GET /actors/{actor_id}/external_identities (A27)', () => {
  it('lists the identities of one actor, newest first, in pages', async () => {
    const actor = await newPerson(account)
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      ids.unshift((await insertIdentity(account.id, actor.id, { issuer: newIssuer() })).id)
    }
    const first = await list(actor.id, { limit: '2' })
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    expect(first.body.metadata).toMatchObject({ total: 3, count: 3, prev_page: null })
    const second = await list(actor.id, { limit: '2', page_cursor: first.body.metadata.next_page })
    expect([idsOf(second), second.body.metadata.next_page]).toEqual([ids.slice(2), null])
    expect((await list((await newPerson(account)).id)).body).toMatchObject({ data: [], metadata: { total: 0 } })
  })

  it('has no filters', async () => {
    const actor = await newPerson(account)
    await insertIdentity(account.id, actor.id, { issuer: newIssuer() })
    expect((await list(actor.id, { name: 'Nobody', directory_id: 'x' })).body.data).toHaveLength(1)
  })

  it('returns 404 for an unknown actor', async () => {
    expect((await list(unknownId)).status).toBe(404)
  })
})
