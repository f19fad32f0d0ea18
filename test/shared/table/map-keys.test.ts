import { Readable } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import '#shared/table/table.ts'

const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }

function clientOf(answer: string) {
  const sent: string[] = []
  const requestHandler = {
    handle: async ({ body }: { body: Uint8Array }) => {
      sent.push(new TextDecoder().decode(body))
      const headers = { 'content-type': 'application/x-amz-json-1.0' }
      return { response: { statusCode: 200, headers, body: Readable.from([Buffer.from(answer)]) } }
    },
  }
  const client = new DynamoDBClient({ region: 'eu-central-1', credentials, requestHandler: requestHandler as never })
  return { client: DynamoDBDocumentClient.from(client), sent }
}

it('the key __proto__ of a stored map is read like any other, and sets no prototype', async () => {
  const { client } = clientOf('{"Item":{"map":{"M":{"__proto__":{"M":{"admin":{"BOOL":true}}},"b":{"S":"2"}}}}}')
  const { Item } = await client.send(new GetCommand({ TableName: 't', Key: { pk: 'a' } }))
  expect(JSON.stringify(Item?.map)).toBe('{"__proto__":{"admin":true},"b":"2"}')
  expect(Item?.map.admin).toBeUndefined()
  expect(Object.getPrototypeOf(Item?.map)).toBe(Object.prototype)
})

it('the key __proto__ of a map is stored like any other', async () => {
  const { client, sent } = clientOf('{}')
  const Item = JSON.parse('{"map":{"__proto__":{"admin":true},"b":"2"}}')
  await client.send(new PutCommand({ TableName: 't', Item }))
  expect(sent[0]).toContain('"map":{"M":{"__proto__":{"M":{"admin":{"BOOL":true}}},"b":{"S":"2"}}}')
})
