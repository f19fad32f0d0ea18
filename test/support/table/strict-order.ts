import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { expect } from 'vitest'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '../accounts/account.ts'

async function commits(account: string) {
  const records: Record<string, unknown>[] = []
  let start: Record<string, unknown> | undefined
  do {
    const page = await table().send(
      new QueryCommand({
        TableName: tableName(),
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': `${account}#commits` },
        ExclusiveStartKey: start,
      }),
    )
    records.push(...(page.Items ?? []))
    start = page.LastEvaluatedKey
  } while (start)
  return records
}

/** Creates sites with concurrent writers. Expects that the commits are strictly ordered and none is lost. */
export async function expectStrictOrder(writers: number, each: number): Promise<void> {
  const account = await newAccount()
  const before = (await commits(account.id)).length
  const statuses: number[] = []
  const writer = async (n: number) => {
    for (let i = 0; i < each; i++) {
      const answer = await account.call(createSite, { method: 'POST', body: { site: { name: `site ${n}.${i}` } } })
      statuses.push(answer.status)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, n) => writer(n)))
  expect(statuses.filter((status) => status !== 201)).toEqual([])

  const records = (await commits(account.id)).slice(before)
  expect(records.map((record) => record.sequence)).toEqual(records.map((_, i) => before + 1 + i))
  const times = records.map((record) => Number(record.time))
  expect(times.every((time, i) => i === 0 || time > (times[i - 1] as number))).toBe(true)
  const names = records.flatMap((record) =>
    (record.changes as { after: { name: string } }[]).map(({ after }) => after.name),
  )
  expect(new Set(names).size).toBe(writers * each)
  expect(names).toHaveLength(writers * each)
  const list = await account.call(listSites, { query: { limit: '1' } })
  expect(list.body.metadata.total).toBe(writers * each + 2)
}
