import { expect, test } from 'vitest'
import { handler as createToken } from '#functions/api/client-tokens/create-client-token.ts'
import { handler } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as getToken } from '#functions/api/client-tokens/get-client-token.ts'
import { authenticate } from '#shared/auth/authenticate.ts'
import { newAccount } from '#test/support/account.ts'
import { insertActor } from '#test/support/rows.ts'

test('a deleted client token is gone and no longer authenticates (A24.3)', async () => {
  const account = await newAccount()
  const [actor, other] = [await insertActor(account.id), await insertActor(account.id)]
  const body = { client_token: { expires_at: '2099-01-01T00:00:00Z' } }
  const { id, token } = (await account.call(createToken, { params: { actor_id: actor.id }, body })).body.data
  expect((await account.call(handler, { params: { actor_id: other.id, id } })).status).toBe(404)

  const deleted = await account.call(handler, { params: { actor_id: actor.id, id } })
  expect(deleted).toMatchObject({ status: 200, body: { data: { id } } })
  expect((await account.call(getToken, { params: { actor_id: actor.id, id } })).status).toBe(404)
  await expect(authenticate('client', `Bearer ${token}`)).rejects.toMatchObject({ status: 401 })
})
