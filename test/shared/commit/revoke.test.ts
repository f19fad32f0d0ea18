import { randomUUID } from 'node:crypto'
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { type Authorization, authorizationItems } from '#shared/access/authorization.ts'
import { commit } from '#shared/commit/commit.ts'
import { authorizationsOf, deleteAuthorization, grantKey, revoke } from '#shared/commit/revoke.ts'
import { inParallel } from '#shared/core/work/in-parallel.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { accountVersionKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

afterEach(() => vi.restoreAllMocks())

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
  const revocation = { by: 'membership' as const, id: 'group', actors: ['actor'] }
  await Promise.all([revoke(account, revocation), revoke(account, revocation)])
  expect(await authorizationsOf(account, { by: 'gateway', id: 'gateway' })).toEqual([])
  expect(await authorizationsOf(other, { by: 'gateway', id: 'gateway' })).toHaveLength(1)
})

test('finds the authorizations of many members in few queries, and skips those of other members', async () => {
  const account = randomUUID()
  const actor = (i: number) => `actor-${String(i).padStart(2, '0')}`
  for (let i = 0; i < 40; i++)
    for (let k = 0; k <= i % 3; k++)
      await store(authorization(account, { client_id: `client-${i}-${k}`, membership: `group#${actor(i)}` }))
  const all = Array.from({ length: 40 }, (_, i) => actor(i))
  const find = async (id: string, actors: string[]) => {
    let found: { membership: string | null }[] = []
    const { reads } = await measure(async () => {
      found = await authorizationsOf(account, { by: 'membership', id, actors })
    })
    return { found: found.map(({ membership }) => membership).sort(), reads }
  }
  expect(await find('other', all)).toEqual({ found: [], reads: 4 })
  const expected = (i: number) => Array.from({ length: (i % 3) + 1 }, () => `group#${actor(i)}`)
  expect((await find('group', all.toReversed())).found).toEqual(all.flatMap((_, i) => expected(i)))
  const some = [3, 5, 20, 38]
  const scattered = await find('group', some.map(actor))
  expect(scattered.found).toEqual(some.flatMap(expected))
  // Allows a read unit per actor and per authorization, and one for the end of the last range.
  expect(scattered.reads).toBeLessThanOrEqual(some.length + scattered.found.length + 1)
})

test('finds the many authorizations of one member in few queries', async () => {
  const account = randomUUID()
  const membership = 'group#actor'
  await inParallel(
    Array.from({ length: 300 }, (_, i) => i),
    20,
    (i) => store(authorization(account, { client_id: `client-${i}`, membership })),
  )
  const sent = recordCommands()
  const found = await authorizationsOf(account, { by: 'membership', id: 'group', actors: ['actor'] })
  expect(found).toHaveLength(300)
  expect(sent.filter((command) => command instanceof QueryCommand).length).toBeLessThanOrEqual(6)
})

test('a commit combines the memberships of a group into one revocation', async () => {
  const { id } = await newAccount()
  await commit({ accountId: id, subject: null }, async (transaction) => {
    transaction.insert(groups, { ...nativeGroup, name: 'Group' })
    for (const actor of ['a', 'b']) transaction.revoke({ by: 'membership', id: 'one', actors: [actor] })
    transaction.revoke({ by: 'membership', id: 'two', actors: ['a'] })
  })
  expect((await readCommits(id)).at(-1)?.revocations).toMatchObject([
    { id: 'one', actors: ['a', 'b'] },
    { id: 'two', actors: ['a'] },
  ])
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
