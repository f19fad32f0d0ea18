import { type AccountRow, accounts } from '#shared/domain/accounts/account.ts'
import { table, tableName } from '#shared/table/client.ts'
import { ScanCommand } from '#shared/table/commands.ts'
import { type Item, partition } from '#shared/table/keys.ts'

/** So much of the table is read at a start; each page is 1 MB. */
const maxPages = 20

/** Accounts of the table, at most so many, and whether there can be more. Nothing but this asks across accounts. */
export async function listAccounts(limit: number): Promise<{ rows: AccountRow[]; more: boolean }> {
  const rows: AccountRow[] = []
  let start: Record<string, unknown> | undefined
  for (let page = 0; page < maxPages; page++) {
    const { Items, LastEvaluatedKey } = await table().send(
      new ScanCommand({
        TableName: tableName(),
        ConsistentRead: true,
        ExclusiveStartKey: start,
        FilterExpression: 'contains(pk, :accounts) AND attribute_exists(slug)',
        ExpressionAttributeValues: { ':accounts': `#${accounts.name}` },
      }),
    )
    const found = (Items ?? []) as (Item & AccountRow)[]
    rows.push(...found.filter(({ pk, id }) => pk === partition(id, accounts.name)))
    start = LastEvaluatedKey
    if (!start || rows.length > limit) break
  }
  return { rows: rows.slice(0, limit), more: start !== undefined || rows.length > limit }
}
