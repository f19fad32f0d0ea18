import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listClientTokens } from '#functions/api/client-tokens/list-client-tokens.ts'
import { handler as getClient } from '#functions/api/clients/get-client.ts'
import { handler as listMemberships } from '#functions/api/memberships/list-memberships.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { person } from '#test/support/accounts/actors.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { insertIdentity, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { followUpFrom } from '#test/support/logs/commit-stream.ts'

const { create, get, remove } = actorsApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('DELETE /actors/{id}', () => {
  it('returns the deleted actor, then 404, and frees its email', async () => {
    const actor = (await create(account, person({ email: 'gone@example.com' }))).body.data
    expect((await remove(account, actor.id)).body).toEqual({ data: actor })
    expect((await remove(account, actor.id)).status).toBe(404)
    expect((await get(account, actor.id)).status).toBe(404)
    expect((await create(account, person({ email: 'gone@example.com' }))).status).toBe(201)
  })

  it('refuses the acting actor and the last administrator (A12.4)', async () => {
    const ownAccount = await newAccount()
    await create(ownAccount, person({ type: 'account_admin_user', is_disabled: true }))
    for (const [id, code] of [
      [ownAccount.apiClient.id, 'own_actor'],
      [ownAccount.admin.id, 'last_admin'],
    ]) {
      const answer = await remove(ownAccount, id)
      expect([answer.status, answer.body.code]).toEqual([403, code])
    }
  })

  it('deletes one of two administrators, but never both', async () => {
    const ownAccount = await newAccount()
    const other = (await create(ownAccount, person({ type: 'account_admin_user' }))).body.data
    const answers = await Promise.all([remove(ownAccount, ownAccount.admin.id), remove(ownAccount, other.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
  })

  it('deletes its memberships, tokens, clients and identities (A29)', async () => {
    const world = await newAccessWorld()
    const params = { actor_id: world.actor.id }
    const { client } = (await world.startSession()).body.data
    const issuer = newIssuer()
    const { idp_id } = await insertIdentity(world.account.id, world.actor.id, { issuer })
    expect((await remove(world.account, world.actor.id)).status).toBe(200)
    expect((await world.startSession()).status).toBe(401)
    await followUpFrom(world.account.id)
    expect((await world.account.call(getClient, { params: { id: client.id } })).status).toBe(404)
    expect((await world.account.call(listClientTokens, { params })).status).toBe(404)
    const members = await world.account.call(listMemberships, { params: { group_id: world.group.id } })
    expect(members.body.metadata.total).toBe(0)
    const heir = await newPerson(world.account)
    expect((await insertIdentity(world.account.id, heir.id, { issuer, idp_id })).actor_id).toBe(heir.id)
  })
})
