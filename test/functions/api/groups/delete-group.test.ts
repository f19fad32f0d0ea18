import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listMemberships } from '#functions/api/memberships/list-memberships.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { groupsApi, policiesApi } from '#test/support/accounts/collections.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

const { create, get, list, remove } = groupsApi

let account: Account
let everyone: string
beforeAll(async () => {
  account = await newAccount()
  everyone = (await list(account, { name: 'Everyone' })).body.data[0].id
})

describe('DELETE /groups/{id} (A14.3)', () => {
  it('deletes a native or synced group and returns it, but not the managed one', async () => {
    const group = (await create(account, { name: 'Short-lived' })).body.data
    expect((await remove(account, group.id)).body).toEqual({ data: group })
    expect((await remove(account, group.id)).status).toBe(404)
    const unit = await insertSyncedGroup(account, { name: 'Gone', idp_id: 'unit-8' })
    expect((await remove(account, unit.id)).status).toBe(200)
    const refused = await remove(account, everyone)
    expect([refused.status, refused.body.code]).toEqual([403, 'managed_group'])
  })

  it('deletes its memberships, and keeps its policies without a group (A14.3, A29)', async () => {
    const world = await newAccessWorld()
    expect((await remove(world.account, world.group.id)).status).toBe(200)
    const params = { group_id: world.group.id }
    expect((await world.account.call(listMemberships, { params })).status).toBe(404)
    expect((await policiesApi.get(world.account, world.policy.id)).body.data.group_id).toBeNull()
    const { changes } = (await readCommits(world.account.id)).at(-1) as {
      changes: { object: string; operation: string }[]
    }
    expect(changes.map(({ object, operation }) => `${operation} ${object}`).sort()).toEqual([
      'delete groups',
      'delete memberships',
      'update policies',
    ])
  })

  it('frees its name', async () => {
    const { id } = (await create(account, { name: 'Once' })).body.data
    expect((await create(account, { name: 'Once' })).status).toBe(422)
    await remove(account, id)
    expect((await get(account, id)).status).toBe(404)
    expect((await create(account, { name: 'Once' })).status).toBe(201)
  })
})
