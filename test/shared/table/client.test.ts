import { createHash, createHmac } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import * as document from '@aws-sdk/lib-dynamodb'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { TableClient } from '#shared/table/client.ts'
import * as commands from '#shared/table/commands.ts'
import { ConditionalCheckFailedException, TransactionCanceledException } from '#shared/table/refused-write.ts'
import { type Asked, answering, stubService } from '#test/support/service/stub-service.ts'

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'session' }
const key = { pk: 'a#b', sk: '1' }
const row = {
  ...key,
  name: 'x',
  count: 3,
  large: 2n ** 60n,
  on: true,
  none: null,
  gone: undefined,
  list: [1, { a: 'b' }],
}
const bytes = {
  ...row,
  data: { zstd: new Uint8Array([1, 2, 250]) },
  names: new Set(['a', 'b']),
  shards: new Set([1, 2]),
}
const condition = {
  ConditionExpression: '#a = :a',
  ExpressionAttributeNames: { '#a': 'a' },
  ExpressionAttributeValues: { ':a': 5 },
}
const TableName = 't'

type Ours = new (input: object) => commands.TableCommand
type Theirs = new (input: object) => document.GetCommand

/** An input of each command, and an answer of the table to it. */
const samples: [name: string, Ours: Ours, Theirs: Theirs, input: object, answer: object][] = [
  [
    'GetCommand',
    commands.GetCommand as Ours,
    document.GetCommand as unknown as Theirs,
    { TableName, Key: key, ConsistentRead: true },
    { Item: { pk: { S: 'a' }, data: { B: 'AQL6' }, n: { N: '5' } } },
  ],
  ['GetCommand', commands.GetCommand as Ours, document.GetCommand as unknown as Theirs, { TableName, Key: key }, {}],
  [
    'PutCommand',
    commands.PutCommand as Ours,
    document.PutCommand as unknown as Theirs,
    { TableName, Item: bytes, ...condition },
    { Attributes: { pk: { S: 'a' } } },
  ],
  [
    'UpdateCommand',
    commands.UpdateCommand as Ours,
    document.UpdateCommand as unknown as Theirs,
    { TableName, Key: key, UpdateExpression: 'SET #a = :a', ...condition },
    { Attributes: { s: { NS: ['1', '2'] } } },
  ],
  [
    'DeleteCommand',
    commands.DeleteCommand as Ours,
    document.DeleteCommand as unknown as Theirs,
    { TableName, Key: key, ...condition },
    {},
  ],
  [
    'QueryCommand',
    commands.QueryCommand as Ours,
    document.QueryCommand as unknown as Theirs,
    {
      TableName,
      KeyConditionExpression: 'pk = :a',
      ExpressionAttributeValues: { ':a': 'x' },
      ExclusiveStartKey: key,
      Limit: undefined,
    },
    {
      Items: [{ pk: { S: 'a' } }, { m: { M: { x: { L: [{ NULL: true }, { BOOL: false }] } } } }],
      LastEvaluatedKey: { pk: { S: 'a' } },
      Count: 2,
    },
  ],
  [
    'ScanCommand',
    commands.ScanCommand as Ours,
    document.ScanCommand as unknown as Theirs,
    { TableName, ExclusiveStartKey: undefined },
    { Items: [], Count: 0 },
  ],
  [
    'BatchGetCommand',
    commands.BatchGetCommand as Ours,
    document.BatchGetCommand as unknown as Theirs,
    { RequestItems: { t: { Keys: [key, key], ConsistentRead: true } } },
    {
      Responses: { t: [{ pk: { S: 'a' } }] },
      UnprocessedKeys: { t: { Keys: [{ pk: { S: 'a' } }], ConsistentRead: true } },
    },
  ],
  [
    'BatchWriteCommand',
    commands.BatchWriteCommand as Ours,
    document.BatchWriteCommand as unknown as Theirs,
    { RequestItems: { t: [{ PutRequest: { Item: bytes } }, { DeleteRequest: { Key: key } }] } },
    { UnprocessedItems: { t: [{ DeleteRequest: { Key: { pk: { S: 'a' } } } }] } },
  ],
  [
    'BatchExecuteStatementCommand',
    commands.BatchExecuteStatementCommand as Ours,
    document.BatchExecuteStatementCommand as unknown as Theirs,
    { Statements: [{ Statement: 'INSERT', Parameters: ['a', 1, null, { b: [true] }] }, { Statement: 'SELECT' }] },
    { Responses: [{ Item: { pk: { S: 'a' } } }, { Error: { Code: 'DuplicateItem', Item: { pk: { S: 'b' } } } }, {}] },
  ],
  [
    'TransactWriteCommand',
    commands.TransactWriteCommand as Ours,
    document.TransactWriteCommand as unknown as Theirs,
    {
      ClientRequestToken: 'token',
      TransactItems: [
        { Put: { TableName, Item: bytes, ...condition } },
        { Update: { TableName, Key: key, UpdateExpression: 'x', ...condition } },
        { Delete: { TableName, Key: key } },
        { ConditionCheck: { TableName, Key: key, ...condition } },
      ],
    },
    {},
  ],
]

let stub: Awaited<ReturnType<typeof stubService>>
let client: TableClient
let sdk: document.DynamoDBDocumentClient

beforeAll(async () => {
  stub = await stubService(answering(200, {}))
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  vi.stubEnv('AWS_SESSION_TOKEN', credentials.sessionToken)
  client = new TableClient(() => stub.endpoint)
  sdk = document.DynamoDBDocumentClient.from(new DynamoDBClient({ credentials, endpoint: stub.endpoint }), {
    marshallOptions: { removeUndefinedValues: true },
  })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  sdk.destroy()
  await stub.end()
})
beforeEach(() => {
  stub.asked.length = 0
})

const ours = (Command: Ours, input: object) => client.send(new Command(input))
const theirs = (Command: Theirs, input: object) => sdk.send(new Command(input))

class Sha256 {
  private readonly hash
  constructor(secret?: Uint8Array) {
    this.hash = secret ? createHmac('sha256', secret) : createHash('sha256')
  }
  update(data: Uint8Array | string) {
    this.hash.update(data)
  }
  async digest() {
    return this.hash.digest()
  }
  reset() {}
}

/** The signature that the SDK's signer gives the request that was received. */
async function resigned({ headers, body, path }: Asked): Promise<string | undefined> {
  const signer = new SignatureV4({ service: 'dynamodb', region: 'eu-central-1', credentials, sha256: Sha256 as never })
  const names = /SignedHeaders=([^,]+)/.exec(String(headers.authorization))?.[1]?.split(';') ?? []
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]))
  const at = String(headers['x-amz-date']).replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')
  const { host = '' } = headers
  const request = { method: 'POST', protocol: 'http:', hostname: host, path, headers: signed, body }
  const answer = await signer.sign(request as never, { signingDate: new Date(at) })
  return (answer as unknown as Asked).headers.authorization
}

describe.each(samples)('%s', (_name, Ours, Theirs, input, answer) => {
  it('asks and answers as the SDK does', async () => {
    stub.reply(answering(200, answer))
    const { $metadata: _metadata, ...expected } = await theirs(Theirs, input)
    expect(await ours(Ours, input)).toEqual(expected)
    const [one, other] = stub.asked
    expect(JSON.parse(other?.body ?? '')).toEqual(JSON.parse(one?.body ?? 'null'))
    for (const header of ['x-amz-target', 'content-type', 'host']) {
      expect(other?.headers[header], header).toBe(one?.headers[header])
    }
  })

  it('is signed as the SDK signs', async () => {
    stub.reply(answering(200, answer))
    await ours(Ours, input)
    const theSdks = await resigned(stub.asked[0] as Asked)
    expect(stub.asked[0]?.headers.authorization).toBe(theSdks?.replaceAll(', ', ','))
  })
})

describe('a transaction', () => {
  it('has a token, so that it is done once when its answer is lost', async () => {
    stub.reply((response, asked) =>
      stub.asked.length === 1 ? response.destroy() : answering(200, {})(response, asked),
    )
    await ours(commands.TransactWriteCommand as Ours, { TransactItems: [{ Delete: { TableName, Key: key } }] })
    const tokens = stub.asked.map(({ body }) => JSON.parse(body).ClientRequestToken)
    expect(tokens).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), tokens[0]])
  })
})

describe('a write that is refused', () => {
  type Told = Error & { $metadata?: { httpStatusCode?: number }; Item?: object; CancellationReasons?: object[] }
  const told = ({ name, message, $metadata, Item, CancellationReasons }: Told) => {
    return { name, message, status: $metadata?.httpStatusCode, Item, CancellationReasons }
  }
  const thrownBy = (asked: Promise<unknown>) => asked.then(String, (error: Told) => error) as Promise<Told>
  const Item = { pk: { S: 'a' }, closed: { BOOL: true } }

  it.each<[string, object, Ours, Theirs, object, new (...made: never[]) => Error]>([
    [
      'as its condition does not hold',
      { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', message: 'no', Item },
      commands.DeleteCommand as Ours,
      document.DeleteCommand as unknown as Theirs,
      { TableName, Key: key },
      ConditionalCheckFailedException,
    ],
    [
      'as a transaction is cancelled',
      {
        __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
        Message: 'cancelled',
        CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Message: 'The condition' }],
      },
      commands.TransactWriteCommand as Ours,
      document.TransactWriteCommand as unknown as Theirs,
      { TransactItems: [{ Delete: { TableName, Key: key } }] },
      TransactionCanceledException,
    ],
  ])('%s is told as the SDK tells it, by a class of our own', async (_, body, Ours, Theirs, input, ErrorClass) => {
    stub.reply(answering(400, body))
    const error = await thrownBy(ours(Ours, input))
    expect(error).toBeInstanceOf(ErrorClass)
    expect(told(error)).toEqual(told(await thrownBy(theirs(Theirs, input))))
  })
})
