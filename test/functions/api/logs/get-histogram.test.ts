import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getHistogram } from '#functions/api/logs/get-histogram.ts'
import { handler as listTopValues } from '#functions/api/logs/list-top-values.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'

const window = 'begin=2026-03-01T00:00:00Z&end=2026-03-02T00:00:00Z'
const uuid = '0190a000-0000-7000-8000-000000000001'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const faults: [query: string, detail: string][] = [
  ['begin=x', 'begin must be an RFC 3339 timestamp of a full hour.'],
  ['begin=2026-03-01T00:30:00Z&end=x', 'begin must be an RFC 3339 timestamp of a full hour.'],
  ['begin=2026-03-01T00:00:00Z&begin=2026-03-01T00:00:00Z', 'begin must be a single string.'],
  ['end=2026-03-01T00:00:00.000001Z', 'end must be an RFC 3339 timestamp of a full hour.'],
  ['end[]=2026-03-01T00:00:00Z', 'end must be a single string.'],
  ['begin=2026-03-01T00:00:00Z&end=2026-03-01T00:00:00Z&by=x', 'begin must be before end.'],
  ['begin=2100-01-01T00:00:00Z', 'begin must be before end.'],
  ['begin=2026-03-01T00:00:00Z&end=2026-04-01T01:00:00Z', 'begin must be at most 31 days before end.'],
  [`${window}&by=device&role=x`, 'by must be one of actor, client, gateway, resource, policy, port.'],
  [`${window}&role=x&actor_id=x`, 'role must be one of initiator, responder.'],
  [`${window}&actor_id=x&resource_id=x`, 'actor_id must be a UUID.'],
  [`${window}&resource_id=x&policy_id=x`, 'resource_id must be a UUID.'],
  [`${window}&policy_id=x&device_id=x`, 'policy_id must be a UUID.'],
  [`${window}&device_id=${uuid}&device_id=${uuid}`, 'device_id must be a single string.'],
  [`${window}&protocol=icmp&port=x`, 'protocol must be one of tcp, udp.'],
  [`${window}&port=65536&open=x`, 'port must be an integer from 0 to 65535.'],
  [`${window}&port=-1`, 'port must be an integer from 0 to 65535.'],
  [`${window}&open=1&order=x`, 'open must be one of true, false.'],
]
const topFaults: [query: string, detail: string][] = [
  [`${window}&order=packets&limit=0`, 'order must be one of flows, bytes.'],
  [`${window}&limit=0`, 'limit must be an integer from 1 to 100.'],
  [`${window}&limit=101`, 'limit must be an integer from 1 to 100.'],
]

describe('parameters', () => {
  it.each(faults)('%s', async (query, detail) => {
    for (const handler of [getHistogram, listTopValues]) {
      const { status, body } = await account.call(handler, { query })
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_log_query', detail])
    }
  })

  it.each(topFaults)('of top values: %s', async (query, detail) => {
    const { status, body } = await account.call(listTopValues, { query })
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_log_query', detail])
  })

  it('accept 31 days, an offset, upper case and empty values', async () => {
    const query = `begin=2026-03-01T02:00:00%2b02:00&end=2026-04-01T00:00:00Z&by=&actor_id=${uuid.toUpperCase()}`
    const { status, body } = await account.call(getHistogram, { query })
    expect([status, body.data.hours.length]).toEqual([200, 31 * 24])
  })
})

it('counts the last 24 hours by default, with open flows and without a flush', async () => {
  const own = await newAccount()
  const grant = await newFlowGrant(own.id)
  const hour = hourStart(clock.now())
  const start = timestamp(hour - hourMicros)
  const reports = [
    openRecord({ inner_src_port: 1, flow_start: start }),
    closeRecord({ inner_src_port: 2, flow_start: start, rx_bytes: 2n ** 60n }),
    closeRecord({ inner_src_port: 3, flow_start: timestamp(hour - 2 * hourMicros), protocol: 'udp' }),
  ].map((record) => (checkFlowReport(record) as { report: FlowReport }).report)
  await storeFlowLogs({ Records: [flowRecord(grant.claims(), clock.now(), ...reports)] })

  const { status, text, body } = await own.call(getHistogram, { query: 'by=port&role=initiator' })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ watermark: null, counted_from: null, approximate: false })
  const { hours } = body.data
  expect(hours.map((one: { hour: string }) => one.hour)).toEqual(
    Array.from({ length: 24 }, (_, i) => timestamp(hour + (i - 23) * hourMicros)),
  )
  expect(hours[22]).toMatchObject({ flows: 2, open: 1, by: [{ value: 'tcp/443', flows: 2 }] })
  expect(text).toContain(String(2n ** 60n))
  expect(hours[21]).toEqual({
    ...{ hour: timestamp(hour - 2 * hourMicros), flows: 1, open: 0, rx_bytes: 3, tx_bytes: 4 },
    by: [{ value: 'udp/443', flows: 1, rx_bytes: 3, tx_bytes: 4 }],
  })
  expect(hours[20]).toMatchObject({ flows: 0, open: 0, rx_bytes: 0, tx_bytes: 0, by: [] })
  const responder = await own.call(getHistogram, { query: 'role=responder' })
  expect(responder.body.data.hours.every((one: { flows: number }) => one.flows === 0)).toBe(true)
})
