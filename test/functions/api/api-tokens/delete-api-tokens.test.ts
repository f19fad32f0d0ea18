import { describe, expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { robot } from '#test/support/accounts/actors.ts'
import { apiTokensApi, inAnHour, newApiClient } from '#test/support/accounts/api-tokens.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

const { create, list, removeAll } = apiTokensApi
const account = await newAccount()
const robotId: string = (await actorsApi.create(account, robot)).body.data.id

describe('DELETE /actors/{actor_id}/api_tokens (A13)', () => {
  it('deletes all tokens of a client and returns their number', async () => {
    const actor_id = await newApiClient(account)
    const tokens = []
    for (let i = 0; i < 3; i++)
      tokens.push((await create(account, actor_id, { expires_at: inAnHour() })).body.data.token)
    const all = await removeAll(account, actor_id)
    expect(all.body).toEqual({ data: { deleted_count: 3 } })
    for (const token of tokens) expect((await call(getAccount, { token })).status).toBe(401)
    expect((await list(account, actor_id)).body.data).toEqual([])
  })

  it('returns 0 for an actor of another type (A13.5)', async () => {
    expect((await removeAll(account, robotId)).body).toEqual({ data: { deleted_count: 0 } })
  })

  it('returns 404 for an unknown actor', async () => {
    expect((await removeAll(account, unknownId)).status).toBe(404)
  })
})
