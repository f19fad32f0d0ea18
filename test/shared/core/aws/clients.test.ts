import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, it, vi } from 'vitest'
import { awsClient, awsClients } from '#shared/core/aws/clients.ts'

afterEach(() => vi.unstubAllEnvs())

it('sends hundreds of requests at once to a slow local engine without a timeout', async () => {
  // Responds later than the connection timeout of one second.
  const engine = createServer(async (_request, response) => {
    await sleep(1_200)
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}')
  })
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(engine.address() as AddressInfo).port}`)
  const shared = awsClients.get(DynamoDBClient)
  awsClients.delete(DynamoDBClient)
  const client = awsClient(DynamoDBClient)
  const get = () => client.send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'a' }, sk: { S: 'b' } } }))
  const attempts = await Promise.all(Array.from({ length: 200 }, async () => (await get()).$metadata.attempts))
  expect(new Set(attempts)).toEqual(new Set([1]))
  if (shared) awsClients.set(DynamoDBClient, shared)
  else awsClients.delete(DynamoDBClient)
  engine.closeAllConnections()
  await new Promise((resolve) => engine.close(resolve))
})
