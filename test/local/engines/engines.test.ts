import { dirname, join } from 'node:path'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { findDynoxide } from '#infra/local/engines/dynoxide.ts'
import { readJson } from '#infra/local/files/data-dir.ts'
import { table, tableName } from '#shared/table/table.ts'

it('provides tests with a table that returns written items', async () => {
  const item = { pk: `engines#${process.pid}`, sk: 'one', value: 7 }
  await table().send(new PutCommand({ TableName: tableName(), Item: item }))
  const { pk, sk } = item
  const read = await table().send(new GetCommand({ TableName: tableName(), Key: { pk, sk }, ConsistentRead: true }))
  expect(read.Item).toEqual(item)
})

it('names the alternatives if no engine binary is found', () => {
  expect(() => findDynoxide({ PATH: '' }, 'plan9-mips')).toThrow(
    /@dynoxide\/plan9-mips.*DYNOXIDE_BIN.*DYNAMODB_ENDPOINT/,
  )
  expect(findDynoxide({ DYNOXIDE_BIN: process.execPath })).toBe(process.execPath)
})

it.skipIf(!['linux', 'win32'].includes(process.platform) || process.env.DYNAMODB_ENDPOINT)(
  'sends requests directly to the engine, at its random address',
  async () => {
    const pidFile = join(dirname(process.env.DYNAMODB_FILE ?? ''), 'dynamodb.pid')
    expect(process.env.AWS_ENDPOINT_URL_DYNAMODB).toBe(readJson<{ endpoint: string }>(pidFile)?.endpoint)
  },
)
