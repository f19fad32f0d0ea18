import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { vi } from 'vitest'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { decryptBytes, deriveKey, encryptBytes } from '#shared/core/secrets/sealed-bytes.ts'
import { statementKey } from '../table/statement-key.ts'
import { sdkByFetch } from './sdk-by-fetch.ts'
import { versionCall } from './version-calls.ts'

/** Targets of AWS calls. A short name suffices if the service has only one resource of that kind. */
export type Target =
  | 'table'
  | 'flows'
  | 'secret'
  | 'failures'
  | `failures/${string}`
  | `function ${string}`
  | 'sealed'
  | `sealed/${string}`
  | 'archive'
  | `archive/${string}`
  | 'seal key'
  | 'secret key'
  | 'token secret'
  | 'mail'
  | 'account'
  | `connections/${string}`
  | `arn:${string}`

let secretKeyFile = ''

export type RecordedCall = { action: string; target: Target; context: Record<string, string[]> }

type Fields = Record<string, unknown>
type Part = { action: string; pk: string }

const parseText = (attribute: unknown): string => {
  const { S } = fieldsOf(attribute)
  if (typeof S !== 'string') throw new Error(`Not a string attribute: ${JSON.stringify(attribute)}`)
  return S
}
const pkOf = (key: unknown): string => parseText(fieldsOf(key).pk)

const onTable = (action: string, keys: string[], enclosing?: string): RecordedCall => ({
  action: `dynamodb:${action}`,
  target: 'table',
  context: { 'dynamodb:LeadingKeys': keys, ...(enclosing && { 'dynamodb:EnclosingOperation': [enclosing] }) },
})

/**
 * Returns the IAM requests for the parts of a request. AWS does not document whether IAM evaluates parts with the same action together.
 * Records both variants, so both must be allowed.
 */
function callsOfParts(parts: Part[], enclosing: string): RecordedCall[] {
  const alone = parts.map(({ action, pk }) => onTable(action, [pk], enclosing))
  const together = [...Map.groupBy(parts, ({ action }) => action)].map(([action, same]) =>
    onTable(action, [...new Set(same.map(({ pk }) => pk))], enclosing),
  )
  return [...alone, ...together]
}

const batched = (requests: unknown): Fields[] => Object.values(fieldsOf(requests)).flat() as Fields[]

function queriedPartition({ KeyConditionExpression = '', ExpressionAttributeValues }: Fields): string {
  const [, value] = /\bpk = (:\w+)/.exec(String(KeyConditionExpression)) ?? []
  if (!value) throw new Error(`No partition in the query ${KeyConditionExpression}`)
  return parseText(fieldsOf(ExpressionAttributeValues)[value])
}

const partActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
}
const statementActions = {
  INSERT: 'PartiQLInsert',
  UPDATE: 'PartiQLUpdate',
  DELETE: 'PartiQLDelete',
  SELECT: 'PartiQLSelect',
} as const

/** Functions that return the IAM requests for each DynamoDB operation (Service Authorization Reference, Amazon DynamoDB). */
const tableCalls: Record<string, (input: Fields) => RecordedCall[]> = {
  GetItem: ({ Key }) => [onTable('GetItem', [pkOf(Key)])],
  PutItem: ({ Item }) => [onTable('PutItem', [pkOf(Item)])],
  UpdateItem: ({ Key }) => [onTable('UpdateItem', [pkOf(Key)])],
  DeleteItem: ({ Key }) => [onTable('DeleteItem', [pkOf(Key)])],
  Query: (input) => [onTable('Query', [queriedPartition(input)])],
  // Omits `dynamodb:LeadingKeys`, because requests to scan do not have this key.
  Scan: () => [{ action: 'dynamodb:Scan', target: 'table', context: {} }],
  BatchGetItem: ({ RequestItems }) => [
    onTable('BatchGetItem', [...new Set(batched(RequestItems).flatMap(({ Keys }) => (Keys as unknown[]).map(pkOf)))]),
  ],
  BatchWriteItem: ({ RequestItems }) => [
    onTable('BatchWriteItem', [
      ...new Set(
        batched(RequestItems).map(({ PutRequest, DeleteRequest }) =>
          pkOf(fieldsOf(PutRequest).Item ?? fieldsOf(DeleteRequest).Key),
        ),
      ),
    ]),
  ],
  TransactWriteItems: ({ TransactItems }) =>
    callsOfParts(
      (TransactItems as Fields[]).map((item) => {
        const [[name = '', part] = []] = Object.entries(item)
        const action = partActions[name]
        if (!action) throw new Error(`Unknown part of a transaction: ${name}`)
        return { action, pk: pkOf(fieldsOf(part).Key ?? fieldsOf(part).Item) }
      }),
      'TransactWriteItems',
    ),
  BatchExecuteStatement: ({ Statements }) =>
    callsOfParts(
      (Statements as Fields[]).map((statement) => {
        const { Statement, Parameters } = statement as { Statement: string; Parameters: Fields[] }
        const { kind, pk } = statementKey({ Statement, Parameters: Parameters.map((value) => value.S ?? value) })
        return { action: statementActions[kind], pk }
      }),
      'BatchExecuteStatement',
    ),
}

/** Returns the IAM requests for an AWS request that names its operation in `X-Amz-Target`. */
function callsOf(target: string, body: string): RecordedCall[] {
  const [service = '', operation = ''] = target.split('.')
  if (target === 'secretsmanager.GetSecretValue' || target === 'secretsmanager.PutSecretValue')
    return [{ action: target.replace('.', ':'), target: 'secret', context: {} }]
  // Adds `TagResource`, because creating a secret with tags also requires this permission.
  if (target === 'secretsmanager.CreateSecret')
    return ['CreateSecret', 'TagResource'].map((name) => ({
      action: `secretsmanager:${name}`,
      target: 'token secret',
      context: {},
    }))
  if (service === 'TrentService') {
    const key = ['GenerateDataKey', 'Decrypt'].includes(operation) ? 'secret key' : 'seal key'
    return [{ action: `kms:${operation}`, target: key, context: {} }]
  }
  if (target === 'Kinesis_20131202.PutRecords') return [{ action: 'kinesis:PutRecords', target: 'flows', context: {} }]
  const toCalls = service === 'DynamoDB_20120810' ? tableCalls[operation] : undefined
  if (!toCalls) throw new Error(`No IAM action is defined for ${target}.`)
  return toCalls(JSON.parse(body))
}

/** Returns the IAM request for an AWS request that the service sends with `fetch`. */
function callOfFetch(url: URL, method: string, body: string): RecordedCall {
  const [service = '', first = ''] = [url.hostname.split('.').at(-4), url.hostname.split('.')[0]]
  const call = (action: string, target: Target): RecordedCall => ({ action, target, context: {} })
  if (/\.s3\.[^.]+\.amazonaws\.com$/.test(url.hostname)) {
    const key = decodeURIComponent(url.pathname.slice(1))
    if (first === 'sealed') {
      const hasParameter = (name: string) => url.searchParams.has(name)
      if (hasParameter('object-lock')) return call('s3:GetBucketObjectLockConfiguration', 'sealed')
      if (hasParameter('versions')) return call('s3:ListBucketVersions', 'sealed')
      const of = hasParameter('retention') ? 'ObjectRetention' : 'Object'
      return call(`s3:${method === 'GET' ? 'Get' : 'Put'}${of}`, `sealed/${key}`)
    }
    const bucket = first === 'archive' ? 'archive' : 'failures'
    if (url.searchParams.has('versions')) return call('s3:ListBucketVersions', bucket)
    if (url.searchParams.has('delete'))
      return call('s3:DeleteObjectVersion', `${bucket}/${/<Key>([^<]*)</.exec(body)?.[1]}`)
    if (method === 'GET') return key ? call('s3:GetObject', `${bucket}/${key}`) : call('s3:ListBucket', bucket)
    if (method === 'PUT') return call('s3:PutObject', `${bucket}/${key}`)
    if (method === 'DELETE') return call('s3:DeleteObject', `${bucket}/${key}`)
  }
  const versionsCall = versionCall(url, method, body)
  if (versionsCall) return versionsCall
  if (first === 'lambda' && url.pathname.endsWith('/account-settings'))
    return call('lambda:GetAccountSettings', 'account')
  if (first === 'lambda' && url.pathname.endsWith('/invocations')) {
    const name = decodeURIComponent(url.pathname.split('/')[3] ?? '')
    const qualifier = url.searchParams.get('Qualifier')
    return call('lambda:InvokeFunction', `function ${name}${qualifier ? `:${qualifier}` : ''}`)
  }
  if (url.hostname.includes('.execute-api.') && /\/(?:%40|@)connections\//.test(url.pathname)) {
    return call('execute-api:ManageConnections', `connections/${method}`)
  }
  if (first === 'email' && body !== '') return call('ses:SendEmail', 'mail')
  throw new Error(`No IAM action is defined for ${method} ${service} ${url}.`)
}

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>

const unanswered: Answer = (url) => {
  throw new Error(`No response is defined for ${url}.`)
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/** Generates and decrypts data keys as KMS does, with the local key file that encrypted the secrets of the tests. */
function dataKeyAnswer(operation: string, body: string) {
  const { EncryptionContext, CiphertextBlob } = JSON.parse(body)
  const key = deriveKey(readFileSync(secretKeyFile), JSON.stringify(EncryptionContext))
  if (operation === 'Decrypt') {
    return { Plaintext: decryptBytes(key, Buffer.from(CiphertextBlob, 'base64')).toString('base64') }
  }
  const plain = randomBytes(32)
  return { Plaintext: plain.toString('base64'), CiphertextBlob: encryptBytes(key, plain).toString('base64') }
}

/** Responds as both KMS keys: the one that signs checkpoints, and the one that encrypts stored secrets. */
const keyAnswer = (target: string, body: string) =>
  /\.(GenerateDataKey|Decrypt)$/.test(target)
    ? dataKeyAnswer(target.split('.')[1] ?? '', body)
    : target.endsWith('.Sign')
      ? {
          Signature: sign(null, Buffer.from(String(JSON.parse(body).Message), 'base64'), privateKey).toString('base64'),
        }
      : { PublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') }

/**
 * Starts a proxy that records requests and forwards them to the engines. For Secrets Manager and KMS, which have no engine, the proxy
 * responds itself.
 */
async function startRecorder(note: (calls: RecordedCall[]) => void, secret: string) {
  const engines: Record<string, string | undefined> = {
    DynamoDB_20120810: process.env.AWS_ENDPOINT_URL_DYNAMODB,
    Kinesis_20131202: process.env.AWS_ENDPOINT_URL_KINESIS,
  }
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(incoming)
    const target = String(incoming.headers['x-amz-target'])
    note(callsOf(target, body.toString()))
    const engine = engines[target.split('.')[0] ?? '']
    if (target.startsWith('TrentService.')) return void response.end(JSON.stringify(keyAnswer(target, body.toString())))
    if (!engine) return void response.end(JSON.stringify({ SecretString: secret, ARN: 'recorded' }))
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = incoming.headers
    const answer = await fetch(engine, { method: 'POST', headers: headers as Record<string, string>, body })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()))
  }
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: Error) =>
      response.writeHead(400).end(JSON.stringify({ message: error.message })),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    end: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Records the AWS calls of `work`. Resets the modules first, so that modules imported by `work` have no cached secret or lease.
 * @param answer response of the AWS services that have no local engine
 */
export async function recordCalls(work: () => Promise<unknown>, answer = unanswered): Promise<RecordedCall[]> {
  const calls: RecordedCall[] = []
  const front = await startRecorder((noted) => void calls.push(...noted), process.env.SIGNING_SECRET ?? '')
  vi.resetModules()
  for (const name of [
    'AWS_ENDPOINT_URL_DYNAMODB',
    'AWS_ENDPOINT_URL_SECRETS_MANAGER',
    'AWS_ENDPOINT_URL_KMS',
    'AWS_ENDPOINT_URL_KINESIS',
  ]) {
    vi.stubEnv(name, front.endpoint)
  }
  sdkByFetch()
  vi.stubEnv('SIGNING_SECRET', '')
  vi.stubEnv('SIGNING_SECRET_ARN', 'recorded')
  secretKeyFile = process.env.SECRET_KEY_FILE ?? ''
  vi.stubEnv('SECRET_KEY_FILE', '')
  vi.stubEnv('SECRET_KEY_ARN', 'recorded')
  vi.stubEnv('TOKEN_SECRETS', 'recorded')
  vi.stubEnv('SEAL_KEY_FILE', '')
  vi.stubEnv('SEAL_KEY_ID', 'recorded')
  vi.stubEnv('SEAL_BUCKET', 'sealed')
  vi.stubEnv('ARCHIVE_FOLDER', '')
  vi.stubEnv('ARCHIVE_BUCKET', 'archive')
  const { fetch } = globalThis
  globalThis.fetch = async (input, init = {}) => {
    const url = new URL(String(input))
    // Skips requests to the service's public API, which need no permission.
    if (url.href.startsWith(`${process.env.SERVICE_URL}/`)) return answer(url, init)
    // Skips requests to local engines, which the proxy records.
    if (url.hostname.startsWith('127.')) return fetch(input, init)
    calls.push(callOfFetch(url, init.method ?? 'GET', String(init.body ?? '')))
    return answer(url, init)
  }
  try {
    await work()
  } finally {
    globalThis.fetch = fetch
    vi.unstubAllEnvs()
    front.end()
    // Resets the modules, because the modules loaded for `work` would use the closed proxy.
    vi.resetModules()
  }
  return calls
}
