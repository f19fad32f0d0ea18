import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { robot } from '#test/support/accounts/actors.ts'
import { apiTokensApi, inAnHour, newApiClient } from '#test/support/accounts/api-tokens.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

const { create, get } = apiTokensApi
const account = await newAccount()
const robotId: string = (await actorsApi.create(account, robot)).body.data.id
afterEach(() => {
  vi.restoreAllMocks()
})

describe('GET /actors/{actor_id}/api_tokens/{id} (A13)', () => {
  it('returns only a token of its actor, without its secret', async () => {
    const actor_id = await newApiClient(account)
    const { token, ...shown } = (await create(account, actor_id, { expires_at: inAnHour(), name: 'CI' })).body.data
    const answer = await get(account, actor_id, shown.id)
    expect([answer.status, answer.body.data]).toEqual([200, shown])
    expect(answer.text).not.toContain(token.slice(4))
    expect((await get(account, account.apiClient.id, shown.id)).status).toBe(404)
    expect((await get(account, unknownId, shown.id)).status).toBe(404)
    expect((await get(account, actor_id, unknownId)).status).toBe(404)
  })

  it('returns 404 for an expired token (A13.4)', async () => {
    const actor_id = await newApiClient(account)
    const { id } = (await create(account, actor_id, { expires_at: inAnHour() })).body.data
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 3_601_000_000)
    expect((await get(account, actor_id, id)).status).toBe(404)
  })

  it('returns 404 for an actor of another type (A13.5)', async () => {
    expect((await get(account, robotId, unknownId)).status).toBe(404)
  })
})
