import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { BatchExecuteStatementCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, it } from 'vitest'
import { startTableProxy } from '#infra/local/engines/table-proxy.ts'
import { getItems } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'

const pk = `front-${process.pid}`
const insert = (sk: string, value: unknown = 1) => ({
  Statement: `INSERT INTO "${tableName()}" VALUE {'pk': ?, 'sk': ?, 'value': ?}`,
  Parameters: [pk, sk, value],
})
const update = (sk: string) => ({
  Statement: `UPDATE "${tableName()}" SET "other" = ? WHERE "pk" = ? AND "sk" = ? AND "other" IS MISSING`,
  Parameters: [2, pk, sk],
})
const codes = async (...Statements: ReturnType<typeof insert>[]) =>
  (await table().send(new BatchExecuteStatementCommand({ Statements }))).Responses?.map(
    ({ Error: error }) => error?.Code,
  )
const stored = async (...sks: string[]) => (await getItems(sks.map((sk) => ({ pk, sk })))).map((item) => item?.value)

it('runs the statements of a batch, and each one separately if a condition fails', async () => {
  expect(await codes(insert('a'), insert('b', '9007199254740993'), update('none'))).toEqual([
    undefined,
    undefined,
    'ConditionalCheckFailed',
  ])
  expect(await codes(insert('c'), update('a'))).toEqual([undefined, undefined])
  expect(await codes(insert('d'), insert('c', 2), update('a'), update('b'))).toEqual([
    undefined,
    'DuplicateItem',
    'ConditionalCheckFailed',
    undefined,
  ])
  expect(await stored('a', 'b', 'c', 'd')).toEqual([1, '9007199254740993', 1, 1])
})

it('reports the capacity that the whole batch consumed', async () => {
  const input = { Statements: [insert('e'), insert('f')], ReturnConsumedCapacity: 'TOTAL' as const }
  const { ConsumedCapacity } = await table().send(new BatchExecuteStatementCommand(input))
  expect(ConsumedCapacity?.[0]?.CapacityUnits).toBe(2)
})

it('passes large items and errors of the engine through', async () => {
  const value = 'é'.repeat(150_000)
  await table().send(new PutCommand({ TableName: tableName(), Item: { pk, sk: 'large', value } }))
  expect(await stored('large')).toEqual([value])
  const conflicting = new PutCommand({
    TableName: tableName(),
    Item: { pk, sk: 'large' },
    ConditionExpression: 'attribute_not_exists(pk)',
  })
  await expect(table().send(conflicting)).rejects.toThrow('The conditional request failed')
})

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

it('sends a batch as one transaction, and closes the connection if the engine does', async () => {
  const targets: unknown[] = []
  const engine = createServer(async (incoming: IncomingMessage, response) => {
    targets.push(incoming.headers['x-amz-target'])
    await text(incoming)
    if (targets.length > 1) response.destroy()
    else response.end('{}')
  })
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
  const { endpoint, server } = await startTableProxy(`http://127.0.0.1:${(engine.address() as AddressInfo).port}`)
  servers.push(engine, server)
  const send = () =>
    fetch(endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'DynamoDB_20120810.BatchExecuteStatement' },
      body: JSON.stringify({ Statements: [insert('x'), insert('y')] }),
    })
  expect(await (await send()).json()).toEqual({ Responses: [{}, {}] })
  expect(targets).toEqual(['DynamoDB_20120810.ExecuteTransaction'])
  await expect(send()).rejects.toThrow('fetch failed')
})
