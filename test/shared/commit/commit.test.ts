import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { accountVersionKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { expectStrictOrder } from '#test/support/table/strict-order.ts'

it('gives 20 writers with 100 changes a strict order and loses none', () => expectStrictOrder(20, 5))

it('never overwrites a commit record, even if the account version is too low', async () => {
  const { id: accountId } = await newAccount()
  const change = (name: string, deadline?: number) =>
    commit(
      { accountId, subject: null },
      async (transaction) => transaction.insert(groups, { name, ...nativeGroup }),
      deadline,
    )
  await change('One')
  const accountVersion = await getItem(accountVersionKey(accountId))
  await change('Two')
  const recorded = await readCommits(accountId)
  // Simulates an account version that is too low, as can happen after a manual write or a restore that splits a transaction.
  await table().send(new PutCommand({ TableName: tableName(), Item: accountVersion as never }))
  await expect(change('Three', Date.now() + 200)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await readCommits(accountId)).toEqual(recorded)
})
