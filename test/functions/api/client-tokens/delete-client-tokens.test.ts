import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { handler as createToken } from '#functions/api/client-tokens/create-client-token.ts'
import { handler } from '#functions/api/client-tokens/delete-client-tokens.ts'
import { handler as getClient } from '#functions/api/clients/get-client.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { insertActor, insertRow } from '#test/support/accounts/rows.ts'

test('deletes all tokens of an actor and returns the number of unexpired ones (A24.2)', async () => {
  const account = await newAccount()
  const actor = await insertActor(account.id)
  const body = { client_token: { expires_at: '2099-01-01T00:00:00Z' } }
  for (let i = 0; i < 22; i++) await account.call(createToken, { params: { actor_id: actor.id }, body })
  await insertRow(account.id, clientTokens, {
    actor_id: actor.id,
    auth_provider_id: null,
    expires_at: '2020-01-01T00:00:00.000000Z',
    secret_hash: '',
  })
  const remove = () => account.call(handler, { params: { actor_id: actor.id } })
  expect(await remove()).toMatchObject({ status: 200, body: { data: { deleted_count: 22 } } })
  expect(await remove()).toMatchObject({ status: 200, body: { data: { deleted_count: 0 } } })
})

test('counts each token once if several requests delete them at once', async () => {
  const account = await newAccount()
  const actor = await insertActor(account.id)
  const body = { client_token: { expires_at: '2099-01-01T00:00:00Z' } }
  for (let i = 0; i < 3; i++) await account.call(createToken, { params: { actor_id: actor.id }, body })
  const remove = () => account.call(handler, { params: { actor_id: actor.id } })
  const counts = (await Promise.all([remove(), remove(), remove()])).map((answer) => answer.body.data.deleted_count)
  expect(counts.sort()).toEqual([0, 0, 3])
})

test('ends all their sessions at once (A24.4)', async () => {
  const world = await newAccessWorld()
  const other = await world.addToken()
  const { client } = (await world.startSession()).body.data
  const params = { actor_id: world.actor.id }
  const answer = await world.account.call(handler, { method: 'DELETE', params })
  expect(answer.body).toEqual({ data: { deleted_count: 2 } })
  expect((await world.account.call(getClient, { params: { id: client.id } })).body.data.online).toBe(false)
  for (const { token } of [world.token, other]) expect((await world.startSession({}, { token })).status).toBe(401)
})

test('returns 0 for an API client and keeps its API tokens (A24.2), and returns 404 for an unknown actor', async () => {
  const account = await newAccount()
  const remove = (actor_id: string) => account.call(handler, { method: 'DELETE', params: { actor_id } })
  expect((await remove(account.apiClient.id)).body).toEqual({ data: { deleted_count: 0 } })
  expect((await remove(randomUUID())).status).toBe(404)
})
