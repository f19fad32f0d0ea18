import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { robot } from '#test/support/accounts/actors.ts'
import { apiTokensApi, inAnHour, newApiClient } from '#test/support/accounts/api-tokens.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

const { create, list } = apiTokensApi
const account = await newAccount()
const robotId: string = (await actorsApi.create(account, robot)).body.data.id
afterEach(() => {
  vi.restoreAllMocks()
})

describe('GET /actors/{actor_id}/api_tokens (A13)', () => {
  it('lists newest first, without expired ones and without secrets', async () => {
    const actor_id = await newApiClient(account)
    await create(account, actor_id, { expires_at: inAnHour(), name: 'first' })
    await create(account, actor_id, { expires_at: new Date(Date.now() + 60_000).toISOString(), name: 'soon over' })
    await create(account, actor_id, { expires_at: inAnHour(), name: 'last' })
    const names = async () => (await list(account, actor_id)).body.data.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['last', 'soon over', 'first'])
    expect((await list(account, actor_id)).text).not.toMatch(/secret|naa_/)
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 120_000_000)
    expect(await names()).toEqual(['last', 'first'])
    const { metadata } = (await list(account, actor_id)).body
    expect([metadata.total, metadata.count]).toEqual([2, 2])
  })

  it('pages through the tokens of one client only', async () => {
    const actor_id = await newApiClient(account)
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.unshift((await create(account, actor_id, { expires_at: inAnHour() })).body.data.id)
    await create(account, await newApiClient(account), { expires_at: inAnHour() })
    const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)
    const first = await list(account, actor_id, { limit: '2' })
    const second = await list(account, actor_id, { limit: '2', page_cursor: first.body.metadata.next_page })
    expect([idsOf(first), idsOf(second), second.body.metadata.next_page]).toEqual([ids.slice(0, 2), ids.slice(2), null])
  })

  it('is empty for an actor of another type (A13.5)', async () => {
    expect((await list(account, robotId)).body).toMatchObject({ data: [], metadata: { total: 0 } })
  })

  it('returns 404 for an unknown actor', async () => {
    expect((await list(account, unknownId)).status).toBe(404)
  })
})
