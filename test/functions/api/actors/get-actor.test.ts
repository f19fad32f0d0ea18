import { describe, expect, it } from 'vitest'
import { newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { person } from '#test/support/accounts/actors.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'

const { create, get } = actorsApi

describe('GET /actors/{id}', () => {
  it('shows every field of an actor, enabled or disabled (A12.1)', async () => {
    const account = await newAccount()
    const created = (await create(account, person({ name: 'Grace', is_disabled: true }))).body.data
    const { status, body } = await get(account, created.id.toUpperCase())
    expect([status, body.data]).toEqual([200, created])
    expect(body.data).toMatchObject({ name: 'Grace', is_disabled: true, created_by_directory_id: null })
  })

  it('shows when a token of the actor was last used', async () => {
    const account = await newAccount()
    const { body } = await get(account, account.apiClient.id)
    expect(Date.now() - Date.parse(body.data.last_seen_at)).toBeLessThan(600_000)
    expect((await get(account, account.admin.id)).body.data.last_seen_at).toBeNull()
  })

  it('shows when a client of the actor was last seen, to the minute', async () => {
    const world = await newAccessWorld()
    expect((await get(world.account, world.actor.id)).body.data.last_seen_at).toBeNull()
    const { client } = (await world.startSession()).body.data
    const { last_seen_at } = (await get(world.account, world.actor.id)).body.data
    expect(Math.abs(Date.parse(client.last_seen_at) - Date.parse(last_seen_at))).toBeLessThan(60_000)
  })
})
