import { describe, expect, it } from 'vitest'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { table, tableName } from '#shared/table/client.ts'
import { QueryCommand } from '#shared/table/commands.ts'
import { newAccount } from '#test/support/account.ts'

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

describe('commit under concurrent writers', () => {
  it('gives 20 writers with 500 changes a strict order and loses none', async () => {
    const account = await newAccount()
    const before = (await commits(account.id)).length
    const statuses: number[] = []
    const writer = async (n: number) => {
      for (let i = 0; i < 25; i++) {
        const answer = await account.call(createSite, { method: 'POST', body: { site: { name: `site ${n}.${i}` } } })
        statuses.push(answer.status)
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, n) => writer(n)))
    expect(statuses.filter((status) => status !== 201)).toEqual([])

    const records = (await commits(account.id)).slice(before)
    expect(records.map((record) => record.sequence)).toEqual(records.map((_, i) => before + 1 + i))
    const times = records.map((record) => Number(record.time))
    expect(times.every((time, i) => i === 0 || time > (times[i - 1] as number))).toBe(true)
    const names = records.flatMap((record) =>
      (record.changes as { after: { name: string } }[]).map(({ after }) => after.name),
    )
    expect(new Set(names).size).toBe(500)
    expect(names).toHaveLength(500)
    const list = await account.call(listSites, { query: { limit: '1' } })
    expect(list.body.metadata.total).toBe(502)
  }, 300_000)
})
