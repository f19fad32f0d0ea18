import { beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import { handler as createPolicy } from '#functions/api/policies/create-policy.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clock, microsOf } from '#shared/core/clock.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'

type Account = Awaited<ReturnType<typeof newAccount>>

async function tokenOf(account: Account, fields: Record<string, unknown>) {
  const result = await provision({
    operation: 'create_api_token',
    token_in: 'answer',
    account_id: account.id,
    api_token: fields,
  })
  return (result as { data: { api_client: { id: string }; api_token: { token: string } } }).data
}

describe('a credential', () => {
  it('is refused once it has expired', async () => {
    const account = await newAccount()
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const { api_token } = await tokenOf(account, { expires_at })
    expect((await account.call(getAccount, { token: api_token.token })).status).toBe(200)
    const real = clock.now
    const later = vi.spyOn(clock, 'now').mockImplementation(() => real() + 61_000_000)
    expect((await account.call(getAccount, { token: api_token.token })).status).toBe(401)
    later.mockRestore()
  })

  it('is refused once its portal session has ended', async () => {
    const account = await newAccount()
    const { token, expires_at } = await signInWith(account, 'portal')
    const real = clock.now
    const at = (micros: number) => vi.spyOn(clock, 'now').mockImplementation(() => Math.max(real(), micros))
    const end = microsOf(expires_at)
    const before = at(end - 60_000_000)
    expect((await account.call(getAccount, { token })).status).toBe(200)
    before.mockRestore()
    const after = at(end)
    expect((await account.call(getAccount, { token })).status).toBe(401)
    after.mockRestore()
  })

  it('is refused while its actor is disabled', async () => {
    const account = await newAccount()
    const { api_client, api_token } = await tokenOf(account, { expires_at: '2099-01-01T00:00:00Z' })
    const set = (is_disabled: boolean) =>
      account.call(updateActor, { method: 'PATCH', params: { id: api_client.id }, body: { actor: { is_disabled } } })
    expect((await set(true)).status).toBe(200)
    expect((await account.call(getAccount, { token: api_token.token })).status).toBe(401)
    expect((await set(false)).status).toBe(200)
    expect((await account.call(getAccount, { token: api_token.token })).status).toBe(200)
  })

  it('is refused while its account is disabled', async () => {
    const account = await newAccount()
    const set = (is_disabled: boolean) =>
      provision({ operation: 'update_account', account_id: account.id, account: { is_disabled } })
    await set(true)
    expect((await account.call(getAccount)).status).toBe(401)
    await set(false)
    expect((await account.call(getAccount)).status).toBe(200)
  })
})

describe('another account', () => {
  let ownAccount: Account
  let other: Account
  let foreign: { group: string; actor: string }
  beforeAll(async () => {
    ownAccount = await newAccount()
    other = await newAccount()
    const group = await other.call(createGroup, { method: 'POST', body: { group: { name: 'Theirs' } } })
    const actor = await other.call(createActor, {
      method: 'POST',
      body: { actor: { name: 'Bot', type: 'service_account' } },
    })
    foreign = { group: group.body.data.id, actor: actor.body.data.id }
  })

  it('has objects that are not found in this account', async () => {
    const answers = await Promise.all([
      ownAccount.call(getGroup, { params: { id: foreign.group } }),
      ownAccount.call(deleteGroup, { method: 'DELETE', params: { id: foreign.group } }),
      ownAccount.call(updateActor, {
        method: 'PATCH',
        params: { id: foreign.actor },
        body: { actor: { name: 'Mine' } },
      }),
      ownAccount.call(replaceMemberships, {
        method: 'PUT',
        params: { group_id: foreign.group },
        body: { memberships: [] },
      }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await other.call(getGroup, { params: { id: foreign.group } })).status).toBe(200)
  })

  it('cannot be referenced', async () => {
    const [resource] = (await ownAccount.call(listResources)).body.data
    const policy = await ownAccount.call(createPolicy, {
      method: 'POST',
      body: { policy: { group_id: foreign.group, resource_id: resource.id } },
    })
    expect([policy.status, policy.body.errors]).toEqual([422, { group_id: ['does not exist'] }])
    const group = await ownAccount.call(createGroup, { method: 'POST', body: { group: { name: 'Ours' } } })
    const members = await ownAccount.call(replaceMemberships, {
      method: 'PUT',
      params: { group_id: group.body.data.id },
      body: { memberships: [{ actor_id: foreign.actor }] },
    })
    expect(members.body.errors).toEqual({ memberships: [`${foreign.actor} does not exist`] })
  })
})
