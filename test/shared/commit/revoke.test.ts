import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { type Authorization, authorizationItems } from '#shared/access/authorization.ts'
import { commit } from '#shared/commit/commit.ts'
import { authorizationsOf, deleteAuthorization, grantKey, revoke } from '#shared/commit/revoke.ts'
import { accountVersionKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'

const authorization = (account: string, fields: Partial<Authorization>): Authorization => ({
  id: randomUUID(),
  account_id: account,
  policy_id: 'policy',
  client_id: 'client',
  actor_id: 'actor',
  gateway_id: 'gateway',
  resource_id: 'resource',
  client_token_id: 'token',
  membership: 'group#actor',
  client_public_key: '',
  client_remote_ip: '192.0.2.1',
  gateway_remote_ip: null,
  user_agent: null,
  flow_log_uploads_enabled: true,
  authorized_at: '2026-01-01T00:00:00.000000Z',
  state_at: '2026-01-01T00:00:00.000000Z',
  expires_at: '2099-01-01T00:00:00.000000Z',
  ...fields,
})

async function store(record: Authorization) {
  const items = authorizationItems(record)
  for (const Item of [items.main, items.grant, ...items.indexes])
    await table().send(new PutCommand({ TableName: tableName(), Item }))
  return items
}

test('deleting an expired authorization keeps the index items of its successor', async () => {
  const account = randomUUID()
  const old = await store(authorization(account, {}))
  const fresh = await store(authorization(account, {}))
  await deleteAuthorization(old.main)
  expect(await getItem(grantKey(account, 'client', 'resource'))).toMatchObject({ authorization_id: fresh.main.id })
  expect(await authorizationsOf(account, { by: 'client', id: 'client' })).toMatchObject([{ id: fresh.main.id }])
  expect(await authorizationsOf(account, { by: 'policy', id: 'policy' })).toMatchObject([{ id: fresh.main.id }])
  await deleteAuthorization(old.main)
})

test('revokes many, idempotently, and none of another account', async () => {
  const [account, other] = [randomUUID(), randomUUID()]
  for (let i = 0; i < 25; i++) await store(authorization(account, { client_id: `client-${i}` }))
  await store(authorization(other, {}))
  const revocation = { by: 'membership', id: 'group#actor' } as const
  await Promise.all([revoke(account, revocation), revoke(account, revocation)])
  expect(await authorizationsOf(account, { by: 'gateway', id: 'gateway' })).toEqual([])
  expect(await authorizationsOf(other, { by: 'gateway', id: 'gateway' })).toHaveLength(1)
})

test('a commit of only a revocation runs it, and writes no commit record', async () => {
  const { id } = await newAccount()
  await store(authorization(id, { client_id: 'client-1' }))
  const sequence = async () => (await getItem(accountVersionKey(id)))?.sequence
  const before = await sequence()
  await commit({ accountId: id, subject: null }, async (transaction) =>
    transaction.revoke({ by: 'client', id: 'client-1' }),
  )
  expect(await authorizationsOf(id, { by: 'client', id: 'client-1' })).toEqual([])
  expect(await sequence()).toBe(before)
})
