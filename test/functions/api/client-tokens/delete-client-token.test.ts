import { expect, test } from 'vitest'
import { handler as renewClientSession } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as createToken } from '#functions/api/client-tokens/create-client-token.ts'
import { handler } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as getToken } from '#functions/api/client-tokens/get-client-token.ts'
import { handler as getClient } from '#functions/api/clients/get-client.ts'
import { authenticate } from '#shared/auth/authenticate.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { insertActor, insertRow } from '#test/support/accounts/rows.ts'

test('a deleted client token no longer exists and no longer authenticates (A24.3)', async () => {
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

test("deleting a token ends its session, and keeps the actor's other tokens (A24.4)", async () => {
  const world = await newAccessWorld()
  const other = await world.addToken()
  const { id, client } = (await world.startSession()).body.data
  const params = { actor_id: world.actor.id, id: world.token.id }
  expect((await world.account.call(handler, { method: 'DELETE', params })).status).toBe(200)
  expect((await world.account.call(getClient, { params: { id: client.id } })).body.data.online).toBe(false)
  const beat = { method: 'PUT', token: world.token.token, params: { id } }
  expect((await call(renewClientSession, beat)).status).toBe(401)
  expect((await world.startSession({}, { token: other.token })).status).toBe(201)
})

test('deleting an expired token or one of an API client returns 404 (A24.2)', async () => {
  const account = await newAccount()
  const { id: actor_id } = await insertActor(account.id)
  const expired = await insertRow(account.id, clientTokens, {
    actor_id,
    auth_provider_id: null,
    expires_at: '2020-01-01T00:00:00.000000Z',
    secret_hash: 'h',
  })
  const status = async (params: Record<string, string>) =>
    (await account.call(handler, { method: 'DELETE', params })).status
  expect(await status({ actor_id, id: expired.id })).toBe(404)
  expect(await status({ actor_id: account.apiClient.id, id: account.tokenId })).toBe(404)
})
