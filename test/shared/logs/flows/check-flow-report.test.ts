import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTimestamp } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import { parseReports } from '#shared/logs/flows/ingest-flows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { closeRecord, openRecord } from '#test/support/logs/flows.ts'

const errorsOf = (record: unknown): unknown => {
  const checked = checkFlowReport(record)
  return 'errors' in checked ? { ...checked.errors } : null
}
const blank = ["can't be blank"]
const invalid = ['is invalid']
const time = ['must be an RFC 3339 timestamp, for example 2026-03-01T12:00:00Z']
const outer = { dst_ip: '192.0.2.1', dst_port: 1, path_activated_at: '2026-01-01T00:00:00Z' }

describe('validation messages of a record (L10)', () => {
  it.each<[string, unknown, Record<string, string[]> | null]>([
    ['an open report', openRecord(), null],
    ['a close report', closeRecord(), null],
    ['null for what is optional', openRecord({ domain: null, outers: null, flow_end: null, rx_bytes: null }), null],
    ['an open report with outers', openRecord({ outers: [outer] }), null],
    ['no object', [], { record: ['must be a JSON object'] }],
    ['null', null, { record: ['must be a JSON object'] }],
    ['a text', 'x', { record: ['must be a JSON object'] }],
    [
      'nothing',
      {},
      Object.fromEntries(
        ['protocol', 'inner_src_ip', 'inner_src_port', 'inner_dst_ip', 'inner_dst_port', 'flow_start'].map((name) => [
          name,
          blank,
        ]),
      ),
    ],
    [
      'a required null',
      openRecord({ protocol: null, inner_src_port: null }),
      { protocol: blank, inner_src_port: blank },
    ],
    ['a blank text', openRecord({ protocol: ' ', domain: '' }), { protocol: blank }],
    [
      'an unknown key',
      openRecord({ actor_id: 'x', Protocol: 1 }),
      { actor_id: ['is not a known field'], Protocol: ['is not a known field'] },
    ],
    [
      'a key of every object',
      JSON.parse(`{"__proto__":1,${JSON.stringify(openRecord()).slice(1)}`),
      JSON.parse('{"__proto__":["is not a known field"]}'),
    ],
    ['attribution', openRecord({ initiator_actor_id: null }), { initiator_actor_id: ['is not a known field'] }],
    ['another protocol', openRecord({ protocol: 'TCP' }), { protocol: [mustBe.oneOf('tcp', 'udp')] }],
    [
      'wrong types',
      openRecord({ inner_src_ip: 1, inner_src_port: '80', flow_start: 0, domain: 7 }),
      { inner_src_ip: [mustBe.ip], inner_src_port: [mustBe.integer], flow_start: time, domain: invalid },
    ],
    [
      'no IP literal',
      openRecord({ inner_src_ip: '10.0.0.0/8', inner_dst_ip: '010.0.0.1' }),
      { inner_src_ip: [mustBe.ip], inner_dst_ip: [mustBe.ip] },
    ],
    [
      'ports out of range',
      openRecord({ inner_src_port: -1, inner_dst_port: 65_536 }),
      {
        inner_src_port: ['must be greater than or equal to 0'],
        inner_dst_port: ['must be less than or equal to 65535'],
      },
    ],
    ['a fraction', openRecord({ inner_src_port: 1.5 }), { inner_src_port: [mustBe.integer] }],
    [
      'a start before 1970',
      openRecord({ flow_start: '1969-12-31T23:59:59.999999Z' }),
      { flow_start: ['must be from 1970 to 2112'] },
    ],
    [
      'a start beyond 52 bits',
      openRecord({ flow_start: '2112-12-31T00:00:00Z' }),
      { flow_start: ['must be from 1970 to 2112'] },
    ],
    ['a start without offset', openRecord({ flow_start: '2026-01-01T00:00:00' }), { flow_start: time }],
    ['a day that is none', openRecord({ flow_start: '2026-02-30T00:00:00Z' }), { flow_start: time }],
    ['an end beyond year 9999', closeRecord({ flow_end: '9999-12-31T23:59:59-23:59' }), { flow_end: time }],
    ['a long domain', openRecord({ domain: 'é'.repeat(256) }), { domain: ['should be at most 255 character(s)'] }],
    ['a domain of 255 characters beyond 16 bits', openRecord({ domain: '😀'.repeat(255) }), null],
    ['U+0000', openRecord({ domain: 'a\0b' }), { domain: invalid }],
    ['half a character', openRecord({ domain: 'a\ud800' }), { domain: invalid }],
    [
      'one close field',
      openRecord({ rx_bytes: 1 }),
      { flow_end: blank, last_packet: blank, rx_packets: blank, tx_packets: blank, tx_bytes: blank, outers: blank },
    ],
    ['no outers on close', closeRecord({ outers: null }), { outers: blank }],
    ['empty outers', closeRecord({ outers: [] }), { outers: ['should have at least 1 item(s)'] }],
    ['empty outers of an open report', openRecord({ outers: [] }), { outers: ['should have at least 1 item(s)'] }],
    [
      'too many outers',
      closeRecord({ outers: Array(1_001).fill(outer) }),
      { outers: ['should have at most 1000 item(s)'] },
    ],
    ['outers that are no list', closeRecord({ outers: { 0: outer } }), { outers: [mustBe.list] }],
    ['an outer that is no object', closeRecord({ outers: [outer, 7] }), { 'outers.1': [mustBe.object] }],
    [
      'half a source',
      closeRecord({
        outers: [
          { ...outer, src_ip: '::1' },
          { ...outer, src_port: 1 },
        ],
      }),
      { 'outers.0.src_port': blank, 'outers.1.src_ip': blank },
    ],
    [
      'an outer that lacks everything',
      closeRecord({ outers: [{ x: 1 }] }),
      {
        'outers.0.x': ['is not a known field'],
        'outers.0.dst_ip': blank,
        'outers.0.dst_port': blank,
        'outers.0.path_activated_at': blank,
      },
    ],
    [
      'counters out of range',
      closeRecord({ rx_bytes: -1, tx_bytes: 2n ** 63n }),
      {
        rx_bytes: ['must be greater than or equal to 0'],
        tx_bytes: ['must be less than or equal to 9223372036854775807'],
      },
    ],
    ['counters as text', closeRecord({ rx_bytes: '1' }), { rx_bytes: [mustBe.integer] }],
  ])('%s', (_name, record, errors) => expect(errorsOf(record)).toEqual(errors))
})

describe('a validated report', () => {
  it('has canonical values', () => {
    expect(
      checkFlowReport(
        closeRecord({
          inner_src_ip: 'FD00:0:0::1',
          domain: ' Wiki.example.com ',
          flow_start: '2026-11-20T12:00:00.1234567+02:00',
          rx_bytes: 2n ** 63n - 1n,
        }),
      ),
    ).toMatchObject({
      report: {
        inner_src_ip: 'fd00::1',
        domain: 'Wiki.example.com',
        flow_start: Date.UTC(2026, 10, 20, 10) * 1000 + 123_456,
        closing: { rx_bytes: '9223372036854775807', tx_bytes: 4, outers: [{ src_ip: null, src_port: null }] },
      },
    })
  })

  it('has no closing fields and no outer paths while it is open', () => {
    expect(checkFlowReport(openRecord({ outers: [outer] }))).toMatchObject({ report: { closing: null } })
  })
})

describe('timestamps', () => {
  it('are parsed like all other timestamps of the API', async () => {
    const digits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
    const text = fc
      .tuple(
        fc.constantFrom('2026-02-28', '2026-02-29', '2024-02-29', '2100-12-31'),
        digits(25),
        digits(61),
        digits(61),
      )
      .chain(([day, ...time]) =>
        fc
          .tuple(
            fc.constantFrom('T', 't', ' '),
            fc.constantFrom('', '.', '.5', '.123456', '.1234567', '.12a', ','),
            fc.constantFrom('Z', 'z', '+02:00', '', 'Z '),
          )
          .map(([between, fraction, zone]) => `${day}${between}${time.join(':')}${fraction}${zone}`),
      )
    await fc.assert(
      fc.property(text, (flow_start) => {
        const checked = checkFlowReport(openRecord({ flow_start }))
        expect('report' in checked ? checked.report.flow_start : null).toBe(parseTimestamp(flow_start.trim()))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('large counts', () => {
  const counterOf = (text: string) => {
    const body = `{"flow_logs":[${JSON.stringify(closeRecord()).replace('"rx_bytes":3', `"rx_bytes":${text}`)}]}`
    const checked = checkFlowReport((parseReports(body) as { flow_logs: unknown[] }).flow_logs[0])
    return 'report' in checked ? String(checked.report.closing?.rx_bytes) : checked.errors.rx_bytes?.[0]
  }

  // Detects a conversion of all digits, which would take ten seconds.
  it('are rejected with 20 million digits as fast as with 20', () => {
    expect(counterOf('1'.repeat(20_000_000))).toBe('must be less than or equal to 9223372036854775807')
  }, 8_000)

  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993.0', '9007199254740993'],
    ['9.007199254740993e15', '9007199254740993'],
    ['1e3', '1000'],
    ['1.0', '1'],
    ['0', '0'],
    ['9223372036854775808', 'must be less than or equal to 9223372036854775807'],
    ['1e30', 'must be less than or equal to 9223372036854775807'],
    ['1e999999999', 'must be less than or equal to 9223372036854775807'],
    ['-1', 'must be greater than or equal to 0'],
    ['9007199254740993.5', mustBe.integer],
    ['0.5', mustBe.integer],
    ['true', mustBe.integer],
  ])('%s is %s', (text, kept) => expect(counterOf(text)).toBe(kept))

  it('are exact over the whole range', async () => {
    await fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (count) => {
        expect(counterOf(String(count))).toBe(String(count))
      }),
    )
  })
})
