import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { handler } from '#functions/api/client-tokens/list-client-tokens.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { mintProviderToken, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { insertActor, insertRow } from '#test/support/accounts/rows.ts'

test('lists the unexpired tokens, newest first, in pages (A24.2)', async () => {
  const account = await newAccount()
  const actor = await insertActor(account.id)
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    const expires_at = i === 2 ? '2020-01-01T00:00:00.000000Z' : '2099-01-01T00:00:00.000000Z'
    const row = { actor_id: actor.id, auth_provider_id: null, expires_at, secret_hash: 'h' }
    const { id } = await insertRow(account.id, clientTokens, row)
    if (i !== 2) ids.unshift(id)
  }
  const list = (query: Record<string, string>, actorId = actor.id) =>
    account.call(handler, { params: { actor_id: actorId }, query })
  const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)
  const { body: first } = await list({ limit: '3' })
  expect(idsOf(first)).toEqual(ids.slice(0, 3))
  expect(first.metadata).toMatchObject({ total: 4, count: 4, prev_page: null })
  expect(JSON.stringify(first)).not.toContain('secret')
  const { body: second } = await list({ limit: '3', page_cursor: first.metadata.next_page })
  expect(idsOf(second)).toEqual(ids.slice(3))
  expect(second.metadata.next_page).toBeNull()
  const { body: back } = await list({ limit: '3', page_cursor: second.metadata.prev_page })
  expect(idsOf(back)).toEqual(ids.slice(0, 3))
  expect((await list({}, randomUUID())).status).toBe(404)
})

test('lists the tokens of one actor, interactive ones included (A24.2)', async () => {
  const account = await newAccount()
  const person = await newPerson(account)
  const token = await mintProviderToken(account, person.id, newIssuer())
  const list = async (actor_id: string) => (await account.call(handler, { params: { actor_id } })).body
  expect((await list(person.id)).data.map(({ id }: { id: string }) => id)).toEqual([token.id])
  const robot = await insertActor(account.id)
  for (const { id } of [robot, account.apiClient]) {
    expect(await list(id)).toMatchObject({ data: [], metadata: { total: 0, next_page: null, prev_page: null } })
  }
})
