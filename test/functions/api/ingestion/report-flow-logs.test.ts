import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { KinesisClient, PutRecordsCommand, type PutRecordsCommandOutput } from '@aws-sdk/client-kinesis'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/api/ingestion/report-flow-logs.ts'
import { clock, parseTimestamp } from '#shared/core/clock.ts'
import { signingKey } from '#shared/core/secrets/signing-secret.ts'
import { unpack } from '#shared/logs/flows/packing.ts'
import { table, tableName } from '#shared/table/table.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { closeRecord, newFlowGrant, openRecord, reportsOf } from '#test/support/logs/flows.ts'
import { mockAws } from '#test/support/service/mock-aws.ts'

let account: Awaited<ReturnType<typeof newAccount>>
let grant: Awaited<ReturnType<typeof newFlowGrant>>
let token: string

type Put = (input: { Records: { Data: Buffer; PartitionKey: string }[] }) => Promise<Partial<PutRecordsCommandOutput>>
const kinesis = mockAws(KinesisClient)
const putsBy = (put: Put) => kinesis.reset().on(PutRecordsCommand).callsFake(put)
const puts = () =>
  kinesis.commandCalls(PutRecordsCommand).map(({ args }) => (args[0].input as Parameters<Put>[0]).Records)
const all: Put = async ({ Records }) => ({
  Records: Records.map((_, i) => ({ SequenceNumber: String(i), ShardId: 'shard' })),
})
const stored = () => puts().flatMap((records) => records.map(({ Data }) => unpack(Data)))
const reports = () => stored().flatMap(reportsOf)

beforeAll(async () => {
  account = await newAccount()
  grant = await newFlowGrant(account.id)
  token = await grant.token()
})
beforeEach(() => {
  putsBy(all)
})
afterEach(() => {
  vi.restoreAllMocks()
})

type Body = { rawBody?: string | Buffer; body?: unknown; token?: string | null; headers?: Record<string, string> }
const post = (request: Body) => call(handler, { method: 'POST', path: '/ingestion/flow_logs', token, ...request })
const send = (...records: unknown[]) => post({ body: { flow_logs: records } })
const gzipped = (content: string | Buffer) => ({ rawBody: gzipSync(content), headers: { 'content-encoding': 'gzip' } })

describe('responses (L8)', () => {
  it('accepts valid records, and an empty list', async () => {
    const answer = await send(openRecord(), closeRecord())
    expect([answer.status, answer.body]).toEqual([200, { data: { status: 'ok', accepted: 2 } }])
    expect(stored()[0]?.claims).toMatchObject({ account_id: account.id, role: 'initiator' })
    expect(puts()[0]?.[0]?.PartitionKey).toBe(grant.attribution.policy_authorization_id)
    expect((await send()).body.data).toEqual({ status: 'ok', accepted: 0 })
  })

  it('accepts valid records among invalid ones, and lists the first 100 invalid ones', async () => {
    const answer = await send(openRecord(), {}, closeRecord({ rx_bytes: -1 }))
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      code: 'validation_failed',
      title: 'Unprocessable Content',
      accepted: 1,
      rejected: 2,
      errors_truncated: false,
    })
    expect(Object.keys(answer.body.errors)).toEqual(['1', '2'])
    expect(answer.body.errors[2]).toEqual({ rx_bytes: ['must be greater than or equal to 0'] })
    expect(reports()).toHaveLength(1)

    const many = await send(...Array(101).fill(7), openRecord())
    expect([Object.keys(many.body.errors).length, many.body.errors_truncated, many.body.rejected]).toEqual([
      100,
      true,
      101,
    ])
  })

  it('preserves 64-bit counters', async () => {
    const body = JSON.stringify({ flow_logs: [closeRecord()] }).replace(
      '"rx_bytes":3',
      '"rx_bytes":9223372036854775807',
    )
    expect((await post({ rawBody: body })).status).toBe(200)
    expect(reports()[0]?.closing?.rx_bytes).toBe('9223372036854775807')
  })
})

describe('the order of checks (L8)', () => {
  const refused = async (request: Body) => {
    const { status, body } = await post(request)
    return [status, body.code]
  }

  it.each<[string, () => Body, [number, string]]>([
    [
      'a body too large, before the token',
      () => ({ rawBody: ' '.repeat(5_000_001), token: null }),
      [413, 'payload_too_large'],
    ],
    [
      'a gzip body too large',
      () => ({ rawBody: Buffer.alloc(4_000_001), token: null, headers: { 'content-encoding': 'gzip' } }),
      [413, 'payload_too_large'],
    ],
    [
      'no token, before the encoding',
      () => ({ rawBody: 'x', token: null, headers: { 'content-encoding': 'br' } }),
      [401, 'unauthorized'],
    ],
    ['another encoding', () => ({ rawBody: '{}', headers: { 'content-encoding': 'br' } }), [400, 'bad_request']],
    [
      'damaged gzip',
      () => ({ rawBody: gzipSync('{"flow_logs":[]}').subarray(0, -9), headers: { 'content-encoding': 'gzip' } }),
      [400, 'bad_request'],
    ],
    ['no gzip', () => ({ rawBody: '{"flow_logs":[]}', headers: { 'content-encoding': 'gzip' } }), [400, 'bad_request']],
    ['a bomb', () => gzipped(Buffer.alloc(20_000_001, ' ')), [413, 'payload_too_large']],
    ['broken JSON', () => ({ rawBody: '{"flow_logs":[' }), [400, 'invalid_json']],
    ['no UTF-8', () => ({ rawBody: Buffer.from([0x22, 0xff, 0x22]) }), [400, 'invalid_json']],
    ['JSON that is not an object', () => ({ rawBody: '[]' }), [400, 'invalid_json']],
    ['an empty body', () => ({ rawBody: '' }), [400, 'invalid_json']],
    ['no list', () => ({ body: { flow_logs: {} } }), [400, 'bad_request']],
    ['no flow_logs', () => ({ body: {} }), [400, 'bad_request']],
    [
      'too many records, before their content',
      () => ({ body: { flow_logs: Array(10_001).fill(7) } }),
      [413, 'too_many_records'],
    ],
  ])('%s', async (_name, request, expected) => {
    expect(await refused(request())).toEqual(expected)
    expect(puts()).toHaveLength(0)
  })

  it('accepts requests at the exact limits', async () => {
    expect((await post({ rawBody: `{"flow_logs":[]}${' '.repeat(5_000_000 - 16)}` })).status).toBe(200)
    expect((await post(gzipped(`{"flow_logs":[]}${' '.repeat(20_000_000 - 16)}`))).status).toBe(200)
    expect((await post({ body: { flow_logs: [] }, headers: { 'content-encoding': 'identity' } })).status).toBe(200)
    const records = Array.from({ length: 10_000 }, (_, i) => openRecord({ inner_src_port: i }))
    expect((await post(gzipped(JSON.stringify({ flow_logs: records })))).body.data.accepted).toBe(10_000)
    expect(reports()).toHaveLength(10_000)
  })
})

describe('a stream that refuses records', () => {
  it('receives only the refused records again', async () => {
    let calls = 0
    putsBy(async ({ Records }) => ({
      Records: Records.map((_, i) =>
        i === 1 && calls++ === 0 ? { ErrorCode: 'ProvisionedThroughputExceededException' } : { SequenceNumber: '1' },
      ),
    }))
    const records = Array.from({ length: 3_000 }, (_, i) => openRecord({ inner_src_port: i }))
    expect((await send(...records)).status).toBe(200)
    const [first, second, ...others] = puts()
    expect([second?.length, others]).toEqual([1, []])
    expect(second?.[0]).toEqual(first?.[1])
  })

  it.each([
    ['part of a batch', async () => ({ Records: [{ ErrorCode: 'InternalFailure' }] })],
    ['everything', () => Promise.reject(Object.assign(new Error('no'), { name: 'TimeoutError' }))],
  ])('returns 503 when it keeps refusing %s', async (_name, answer) => {
    putsBy(answer)
    const { status, body, headers } = await send(openRecord(), {})
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'unavailable', '1'])
    expect(body).not.toHaveProperty('accepted')
    expect(puts().length).toBeGreaterThan(1)
  })
})

describe('ingest tokens (L9)', () => {
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const parts = () => token.split('.') as [string, string, string]
  const claims = () => JSON.parse(Buffer.from(parts()[1], 'base64url').toString())
  const signed = async (header: unknown, payload: unknown, algorithm = 'sha256') => {
    const text = `${base64(header)}.${base64(payload)}`
    const { key } = await signingKey(`ingest token ${account.id}`)
    return `${text}.${createHmac(algorithm, key).update(text).digest('base64url')}`
  }
  let header: { alg: string; kid: string; typ: string }
  beforeAll(async () => {
    header = { alg: 'HS256', kid: (await signingKey('any')).version, typ: 'JWT' }
  })
  const statusOf = async (bearer: string) => (await post({ body: { flow_logs: [] }, token: bearer })).status

  it('are equal at every signing, and contain the claims', async () => {
    expect(await grant.token()).toBe(token)
    const { attribution } = grant
    expect(claims()).toEqual({
      account_id: account.id,
      policy_authorization_id: attribution.policy_authorization_id,
      role: 'initiator',
      uploads_enabled: true,
      iat: Date.parse(attribution.authorized_at) / 1000,
      exp: Date.parse(attribution.authorization_expires_at) / 1000 + 30 * 86_400,
      initiator_device_id: attribution.initiator_device_id,
      responder_device_id: attribution.responder_device_id,
      initiator_actor_id: attribution.initiator_actor_id,
      policy_id: attribution.policy_id,
      resource_id: attribution.resource_id,
    })
    expect(await statusOf(await signed(header, claims()))).toBe(200)
    expect(await statusOf(await grant.token('responder'))).toBe(200)
  })

  /** Returns a different last character for the same signature bytes. Such a character exists because its last two bits are unused. */
  const otherSpelling = (last: string) => {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    return digits[digits.indexOf(last) + 1]
  }

  it('are all refused with the same response', async () => {
    const [tokenHeader, payload, mac] = parts()
    const other = await newFlowGrant((await newAccount()).id)
    const bad: (string | null)[] = [
      null,
      'x',
      account.token,
      `${tokenHeader}.${payload}`,
      `${tokenHeader}.${payload}.`,
      `${tokenHeader}.${payload}.${mac}x`,
      `${token}=`,
      `${tokenHeader}.${payload}.${mac.slice(0, -1)}${otherSpelling(mac.slice(-1))}`,
      `${tokenHeader}.${base64({ ...claims(), role: 'responder' })}.${mac}`,
      `${base64({ ...header, alg: 'none' })}.${payload}.`,
      await signed({ ...header, alg: 'none' }, claims()),
      await signed({ ...header, alg: 'HS512' }, claims(), 'sha512'),
      await signed({ ...header, kid: '2' }, claims()),
      await signed(header, { ...claims(), account_id: other.claims().account_id }),
      ...(await Promise.all(
        [
          { exp: undefined },
          { exp: 1.5 },
          { exp: '9999999999' },
          { exp: 1 },
          { account_id: undefined },
          { account_id: 'x' },
          { policy_authorization_id: undefined },
          { role: 'observer' },
          { uploads_enabled: 'true' },
          { uploads_enabled: undefined },
        ].map((change) => signed(header, { ...claims(), ...change })),
      )),
      await grant.token('initiator', { uploads_enabled: false }),
    ]
    const answers = await Promise.all(bad.map((bearer) => post({ body: { flow_logs: [] }, token: bearer })))
    for (const { status, body, headers } of answers) {
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect({ ...body, request_id: '' }).toEqual({ ...answers[0]?.body, request_id: '' })
    }
  })

  it('are valid until 30 days after the end of their authorization', async () => {
    const end = parseTimestamp('2099-01-31T00:00:00Z') as number
    const now = vi.spyOn(clock, 'now').mockReturnValue(end)
    expect(await statusOf(token)).toBe(200)
    now.mockReturnValue(end + 1_000_000)
    expect(await statusOf(token)).toBe(401)
  })

  it('end with their account, within a minute', async () => {
    const closedAccount = await newAccount()
    const bearer = await (await newFlowGrant(closedAccount.id)).token()
    expect(await statusOf(bearer)).toBe(200)
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: { pk: `${closedAccount.id}#accounts`, sk: closedAccount.id },
        UpdateExpression: 'SET is_disabled = :yes',
        ExpressionAttributeValues: { ':yes': true },
      }),
    )
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
    expect(await statusOf(bearer)).toBe(401)
  })
})
