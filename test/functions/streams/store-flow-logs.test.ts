import { randomUUID } from 'node:crypto'
import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
import type { KinesisStreamRecord } from 'aws-lambda'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler } from '#functions/streams/store-flow-logs.ts'
import { clock, hourStart, timestamp } from '#shared/core/clock.ts'
import { blockPartition, startSort } from '#shared/logs/blocks/block-keys.ts'
import type { BlockItem } from '#shared/logs/blocks/slot-source.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { closeRecord, flowRecord, kinesisRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { realisticReports } from '#test/support/logs/realistic-flows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { failTable, inserts } from '#test/support/table/table-faults.ts'

type Grant = Awaited<ReturnType<typeof newFlowGrant>>
type Fields = Record<string, unknown>
let account: Awaited<ReturnType<typeof newAccount>>
let grant: Grant
let port = 1_000
const outer = { dst_ip: '192.0.2.1', dst_port: 1, path_activated_at: '2026-11-20T10:00:00Z' }
const report = (record: unknown) => (checkFlowReport(record) as { report: FlowReport }).report
const deliver = (...Records: KinesisStreamRecord[]) => handler({ Records })
const failures = async (...records: KinesisStreamRecord[]) =>
  (await deliver(...records)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)

beforeAll(async () => {
  account = await newAccount()
  grant = await newFlowGrant(account.id)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const readFlow = async (of: typeof account, one: FlowReport, claims = grant.claims()) =>
  (await of.call(getLog, { params: { log_id: flowLogId(claims, one) } })).body?.data

function newFlow() {
  const inner_src_port = ++port
  const open = (fields: Fields = {}) => report(openRecord({ inner_src_port, ...fields }))
  const close = (fields: Fields = {}) => report(closeRecord({ inner_src_port, ...fields }))
  return { open, close, read: () => readFlow(account, open()) }
}
const at = (n: number) => clock.now() - 1_000_000_000 + n

describe('identity and merging of flows (L11)', () => {
  it('results in the same entry in any order, with any repetition, in one batch or several', async () => {
    const orders = [
      ['open', 'close'],
      ['close', 'open'],
      ['open', 'open', 'close', 'close'],
      ['close', 'close', 'open'],
      ['close'],
    ] as const
    for (const together of [true, false]) {
      for (const order of orders) {
        const flow = newFlow()
        const records = order.map((kind, i) => flowRecord(grant.claims(), at(i), flow[kind]()))
        if (together) expect(await failures(...records)).toEqual([])
        else for (const record of records) expect(await failures(record)).toEqual([])
        const entry = await flow.read()
        expect([entry.flow_end, entry.rx_bytes, entry.outers?.length]).toEqual(['2026-11-20T10:05:00.000000Z', 3, 1])
      }
    }
  })

  it('keeps ingest time and domain of the first report, and the counters of the first close', async () => {
    for (const together of [true, false]) {
      const flow = newFlow()
      const first = at(1)
      const records = [
        flowRecord(grant.claims(), first, flow.open()),
        flowRecord(grant.claims(), at(2), flow.close({ domain: 'late.example', rx_bytes: 7 })),
        flowRecord(grant.claims(), at(3), flow.close({ rx_bytes: 8 })),
      ]
      if (together) await deliver(...records)
      else for (const record of records) await deliver(record)
      const entry = await flow.read()
      expect([entry.inner_domain, entry.rx_bytes]).toEqual([null, 7])
      expect(Date.parse(entry.timestamp)).toBe(Math.floor(first / 1000))
    }
  })

  it('has null fields while the flow is open', async () => {
    const flow = newFlow()
    await deliver(flowRecord(grant.claims(), at(1), flow.open({ outers: [outer] })))
    expect(await flow.read()).toMatchObject({
      flow_end: null,
      last_packet: null,
      outers: null,
      rx_bytes: null,
      tx_packets: null,
    })
  })

  it('keeps the two sides of a flow separate', async () => {
    const flow = newFlow()
    await deliver(
      ...(['initiator', 'responder'] as const).map((role) => flowRecord(grant.claims(role), at(1), flow.open())),
    )
    const search = { type: 'flow', begin: '2026-11-20T10:00:00Z', end: '2026-11-20T10:00:01Z', limit: '100' }
    const { body } = await account.call(listLogs, { query: search })
    const sides = body.data.filter((entry: { inner_src_port: number }) => entry.inner_src_port === port)
    expect(sides.map(({ role }: { role: string }) => role).sort()).toEqual(['initiator', 'responder'])
  })

  it('preserves 64-bit counters and distant times', async () => {
    const flow = newFlow()
    const rx_bytes = 9_223_372_036_854_775_807n
    await deliver(
      flowRecord(
        grant.claims(),
        at(1),
        flow.close({
          rx_bytes,
          tx_bytes: 2n ** 53n + 1n,
          flow_end: '2400-01-01T00:00:00Z',
          last_packet: '1969-01-01T00:00:00Z',
        }),
      ),
    )
    const { text } = await account.call(getLog, { params: { log_id: flowLogId(grant.claims(), flow.open()) } })
    expect(text).toContain('"rx_bytes":9223372036854775807,')
    expect(text).toContain('"tx_bytes":9007199254740993,')
    expect(text).toContain('"flow_end":"2400-01-01T00:00:00.000000Z","last_packet":"1969-01-01T00:00:00.000000Z"')
  })
})

describe('faults', () => {
  it('reports an unreadable record, after storing those before it', async () => {
    const [before, after] = [newFlow(), newFlow()]
    const poison = kinesisRecord(Buffer.from('poison'))
    const records = [
      flowRecord(grant.claims(), at(1), before.open()),
      poison,
      flowRecord(grant.claims(), at(2), after.open()),
    ] as const
    expect(await failures(...records)).toEqual([poison.kinesis.sequenceNumber])
    expect(await before.read()).toBeDefined()
    expect(await failures(poison)).toEqual([poison.kinesis.sequenceNumber])
    expect(await failures(records[2])).toEqual([])
    expect(await after.read()).toBeDefined()
  })

  it('reports the first record of an account whose blocks were not stored; a second delivery completes it', async () => {
    const other = await newAccount()
    const foreign = (await newFlowGrant(other.id)).claims()
    const flows = [newFlow(), newFlow(), newFlow()] as const
    const claims = [grant.claims(), foreign, foreign]
    const records = flows.map((flow, i) => flowRecord(claims[i] as IngestClaims, at(i), flow.close()))
    failTable('ProvisionedThroughputExceededException', inserts(`${other.id}#log.flow.block`))
    expect(await failures(...records)).toEqual([records[1]?.kinesis.sequenceNumber])
    const readForeign = (flow: ReturnType<typeof newFlow>) => readFlow(other, flow.open(), foreign)
    expect(await flows[0].read()).toBeDefined()
    for (const flow of flows.slice(1)) expect(await readForeign(flow)).toBeUndefined()
    vi.restoreAllMocks()

    expect(await failures(...records)).toEqual([])
    for (const entry of [await flows[0].read(), await readForeign(flows[1]), await readForeign(flows[2])])
      expect(entry.flow_end).not.toBeNull()
  })

  it('reports the first record of a request in which one block is refused', async () => {
    const now = clock.now()
    const flows = [newFlow(), newFlow(), newFlow()] as const
    // Starts each flow in a different interval, so that each has a block of its own.
    const starts = [0, 300_000_000, 600_000_000].map((ago) => ({ flow_start: timestamp(now - ago) }))
    const records = flows.map((flow, i) => flowRecord(grant.claims(), now + i, flow.open(starts[i])))
    vi.spyOn(clock, 'sleep').mockResolvedValue()
    interceptTable(async (command, send) => {
      if (!(command instanceof BatchExecuteStatementCommand)) return send(command)
      const statements = command.input.Statements ?? []
      const isRefused = (statement: unknown) => JSON.stringify(statement).includes(startSort(now - 300_000_000))
      const stored = statements.filter((statement) => !isRefused(statement))
      if (stored.length > 0) await send(new BatchExecuteStatementCommand({ Statements: stored }))
      const refusal = { Error: { Code: 'ThrottlingError', Message: 'slow down' } }
      return { Responses: statements.map((statement) => (isRefused(statement) ? refusal : {})) }
    })
    expect(await failures(...records)).toEqual([records[0]?.kinesis.sequenceNumber])
    const readAll = () => Promise.all(flows.map((flow, i) => readFlow(account, flow.open(starts[i]))))
    expect((await readAll()).map((entry) => entry !== undefined)).toEqual([true, false, true])
    vi.restoreAllMocks()
    expect(await failures(...records)).toEqual([])
    expect((await readAll()).map((entry) => entry?.flow_start)).toEqual(starts.map(({ flow_start }) => flow_start))
  })

  it('stores thousands of flows of a batch', async () => {
    const reports = Array.from({ length: 1_000 }, (_, i) =>
      report(openRecord({ inner_dst_port: i, flow_start: '2026-11-19T00:00:00Z' })),
    )
    expect(await failures(flowRecord(grant.claims(), at(1), ...reports))).toEqual([])
    const { body } = await account.call(listLogs, {
      query: { type: 'flow', begin: '2026-11-19T00:00:00Z', end: '2026-11-19T00:00:00Z', limit: '1000' },
    })
    expect(body.metadata.total).toBe(1_000)
  })
})

describe('the costs of a batch of 100 reports', () => {
  const reports = realisticReports(100)

  it.each([
    ['closed', 7, 65],
    ['open', 3, 30],
  ] as const)('that are %s', async (kind, maxUnits, maxBytes) => {
    const accountId = randomUUID()
    const claims = (await newFlowGrant(accountId)).claims()
    const now = hourStart(clock.now())
    vi.spyOn(clock, 'now').mockReturnValue(now)
    const own = kind === 'open' ? reports.map((one) => ({ ...one, closing: null })) : reports
    const reportedAt = Math.max(...reports.map(({ flow_start, closing }) => closing?.flow_end ?? flow_start))
    const { reads, writes } = await measure(() => deliver(flowRecord(claims, reportedAt, ...own)))
    const [block, ...others] = await queryItems<BlockItem>(blockPartition(accountId, now))
    expect([reads, others]).toEqual([0, []])
    expect((block?.content.length ?? Infinity) / reports.length).toBeLessThanOrEqual(maxBytes)
    // Expects one further unit for the mark of the slot, which the next batch does not write.
    expect(writes).toBeLessThanOrEqual(maxUnits + 1)
    const next = await measure(() => deliver(flowRecord(claims, reportedAt + 1, ...own)))
    expect(next.writes).toBeLessThanOrEqual(maxUnits)
  })
})
