import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { handler } from '#functions/api/client-tokens/get-client-token.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { mintProviderToken, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { insertActor, insertRow } from '#test/support/accounts/rows.ts'

test('returns a token without its secret, and 404 for an expired one (A24.2)', async () => {
  const account = await newAccount()
  const actor = await insertActor(account.id)
  const insert = (expires_at: string) =>
    insertRow(account.id, clientTokens, { actor_id: actor.id, auth_provider_id: null, expires_at, secret_hash: 'h' })
  const read = async (id: string) => account.call(handler, { params: { actor_id: actor.id, id } })
  const [valid, expired] = [await insert('2099-01-01T00:00:00.000000Z'), await insert('2020-01-01T00:00:00.000000Z')]
  const { id, actor_id, expires_at, inserted_at, updated_at } = valid
  expect(await read(id)).toMatchObject({ status: 200 })
  expect((await read(id)).body.data).toEqual({ id, actor_id, expires_at, inserted_at, updated_at })
  expect((await read(expired.id)).status).toBe(404)
})

test('returns 404 for a token of another actor or of an API client (A24.2)', async () => {
  const account = await newAccount()
  const person = await newPerson(account)
  const { id } = await mintProviderToken(account, person.id, newIssuer())
  const status = async (actor_id: string) => (await account.call(handler, { params: { actor_id, id } })).status
  const others = [account.admin.id, account.apiClient.id, randomUUID()]
  expect(await Promise.all([person.id, ...others].map(status))).toEqual([200, 404, 404, 404])
})
