import { gzipSync } from 'node:zlib'
import { KinesisClient, PutRecordsCommand, type PutRecordsCommandInput } from '@aws-sdk/client-kinesis'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/api/ingestion/report-flow-logs.ts'
import { maxResponseBytes, responseBytes } from '#shared/core/json/response-size.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { closeRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { mockAws } from '#test/support/service/mock-aws.ts'

const kinesis = mockAws(KinesisClient)

let token: string
beforeAll(async () => {
  kinesis
    .on(PutRecordsCommand)
    .callsFake(({ Records }: PutRecordsCommandInput) => ({
      Records: Records?.map(() => ({ SequenceNumber: '1', ShardId: 'shard' })),
    }))
  token = await (await newFlowGrant((await newAccount()).id)).token()
})

const post = (rawBody: string) => call(handler, { method: 'POST', path: '/ingestion/flow_logs', token, rawBody })
const send = (...records: unknown[]) => post(JSON.stringify({ flow_logs: records }))

const withUnknown = (count: number, name = (i: number) => `x${i}`) =>
  openRecord(Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 1])))

describe('a small gzip body that expands to a large document (L8)', () => {
  const gzipped = (text: string) =>
    call(handler, {
      method: 'POST',
      path: '/ingestion/flow_logs',
      token,
      rawBody: gzipSync(text),
      headers: { 'content-encoding': 'gzip' },
    })
  it.each([
    ['nested lists', `${'['.repeat(9_000_000)}${']'.repeat(9_000_000)}`],
    ['millions of records', `[${Array(5_000_000).fill('{}').join(',')}]`],
  ])('is refused before parsing: %s', async (_name, records) => {
    const parse = vi.spyOn(JSON, 'parse')
    const answer = await gzipped(`{"flow_logs":${records}}`)
    const parsed = parse.mock.calls.filter(([text]) => String(text).startsWith('{"flow_logs"'))
    parse.mockRestore()
    expect([answer.status, answer.body.code, parsed]).toEqual([413, 'payload_too_large', []])
  })
})

describe('the messages of a rejected record', () => {
  it.each([
    ['unknown fields', withUnknown(20), withUnknown(21)],
    [
      'outer paths',
      closeRecord({ outers: Array(20).fill(7) }),
      closeRecord({ outers: [...Array(20).fill(7), { dst_ip: 'x' }] }),
    ],
  ])('are at most 20: %s', async (_name, listed, cut) => {
    for (const [record, truncated] of [
      [listed, false],
      [cut, true],
    ]) {
      const { status, body } = await send(openRecord(), record)
      expect([status, Object.keys(body.errors[1]).length, body.errors_truncated]).toEqual([422, 20, truncated])
    }
  })

  it('shorten the name of a field to 255 characters', async () => {
    const character = '😀'
    const { body } = await send(
      withUnknown(1, () => character.repeat(255)),
      withUnknown(1, () => character.repeat(256)),
      withUnknown(2, (i) => `${'x'.repeat(300)}${i}`),
      closeRecord({
        outers: [{ dst_ip: '::1', dst_port: 1, path_activated_at: '2026-11-20T10:00:00Z', ['y'.repeat(300)]: 1 }],
      }),
    )
    expect(Object.values(body.errors).map((errors) => Object.keys(errors as object))).toEqual([
      [character.repeat(255)],
      [`${character.repeat(254)}…`],
      [`${'x'.repeat(254)}…`],
      [`outers.0.${'y'.repeat(254)}…`],
    ])
  })
})

describe('a batch with one valid record', () => {
  const filled = (bad: string) => {
    const valid = JSON.stringify(openRecord())
    const copies = Math.min(9_999, Math.floor((5_000_000 - 50 - valid.length) / (bad.length + 1)))
    return `{"flow_logs":[${[valid, ...Array(copies).fill(bad)].join(',')}]}`
  }
  const names = Array.from({ length: 32 }, (_, i) => `"${'\\ud800'.repeat(253)}${i}":1`)
  it.each([
    ['records with the maximum number of faults', JSON.stringify(closeRecord({ outers: Array(1_000).fill({}) }))],
    ['long names with characters that JSON escapes', `{${names}}`],
    ['one record with thousands of unknown fields', JSON.stringify(withUnknown(300_000))],
    ['records that are not objects', '7'],
  ])('gets a response within the maximum size: %s', async (_name, bad) => {
    const { status, body } = await post(filled(bad))
    expect([status, body.code, body.accepted, body.errors_truncated]).toEqual([422, 'validation_failed', 1, true])
    expect(responseBytes(body)).toBeLessThan(maxResponseBytes)
  })

  it('takes about the CPU time of parsing, for any number of faults', async () => {
    const body = filled(JSON.stringify(closeRecord({ outers: Array(1_000).fill({}) })))
    const cpuOf = async (work: () => unknown) => {
      const start = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(start)
      return user + system
    }
    const ratios: number[] = []
    for (let round = 0; round < 3; round++) {
      const parsed = await cpuOf(() => JSON.parse(body))
      ratios.push((await cpuOf(() => post(body))) / parsed)
    }
    expect(Math.min(...ratios)).toBeLessThan(5)
  })
})
