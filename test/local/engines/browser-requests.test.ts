import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTableProxy } from '#infra/local/engines/browser-requests.ts'
import { tableName } from '#shared/table/table.ts'

let front: Awaited<ReturnType<typeof startTableProxy>>
let client: DynamoDBDocumentClient
beforeAll(async () => {
  front = await startTableProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: front.endpoint }))
})
afterAll(() => {
  client.destroy()
  front.server.close().closeAllConnections()
})

it('passes large items and errors of the engine through', async () => {
  const key = { pk: `front-${process.pid}`, sk: 'large' }
  const Item = { ...key, value: 'é'.repeat(150_000) }
  await client.send(new PutCommand({ TableName: tableName(), Item }))
  const stored = await client.send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true }))
  expect(stored.Item).toEqual(Item)
  const condition = { ConditionExpression: 'attribute_not_exists(pk)' }
  const conflicting = new PutCommand({ TableName: tableName(), Item, ...condition })
  await expect(client.send(conflicting)).rejects.toThrow('The conditional request failed')
})

it('closes the connection if the engine does', async () => {
  const engine = createServer((_, response) => response.destroy())
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
  const { endpoint, server } = await startTableProxy(`http://127.0.0.1:${(engine.address() as AddressInfo).port}`)
  await expect(fetch(endpoint, { method: 'POST', body: '{}' })).rejects.toThrow('fetch failed')
  for (const started of [engine, server]) started.close().closeAllConnections()
})
