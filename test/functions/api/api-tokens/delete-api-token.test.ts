import { describe, expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as deleteApiToken } from '#functions/api/api-tokens/delete-api-token.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { apiTokensApi, inAnHour, newApiClient } from '#test/support/accounts/api-tokens.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

const { create, get, remove } = apiTokensApi
const account = await newAccount()

describe('DELETE /actors/{actor_id}/api_tokens/{id} (A13)', () => {
  it('revokes a token at once; a token can delete itself', async () => {
    const actor_id = await newApiClient(account)
    const { id, token } = (await create(account, actor_id, { expires_at: inAnHour() })).body.data
    expect((await call(deleteApiToken, { method: 'DELETE', params: { actor_id, id }, token })).body).toEqual({
      data: { id },
    })
    expect((await call(getAccount, { token })).status).toBe(401)
    expect((await remove(account, actor_id, id)).status).toBe(404)
  })

  it('returns 404 for the token of another actor', async () => {
    const { id } = (await create(account, await newApiClient(account), { expires_at: inAnHour() })).body.data
    expect((await remove(account, await newApiClient(account), id)).status).toBe(404)
    expect((await remove(account, unknownId, id)).status).toBe(404)
  })

  it('deletes only the named token', async () => {
    const actor_id = await newApiClient(account)
    const [deleted, kept] = [
      (await create(account, actor_id, { expires_at: inAnHour() })).body.data,
      (await create(account, actor_id, { expires_at: inAnHour() })).body.data,
    ]
    expect((await remove(account, actor_id, deleted.id)).status).toBe(200)
    expect((await get(account, actor_id, kept.id)).status).toBe(200)
    expect((await call(getAccount, { token: kept.token })).status).toBe(200)
  })
})
