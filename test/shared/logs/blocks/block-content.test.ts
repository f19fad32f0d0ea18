import { randomBytes, randomUUID } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Batch,
  type BlockRow,
  encodeBlocks,
  encodeFlows,
  type IdWalk,
  readBlock,
} from '#shared/logs/blocks/block-content.ts'
import { compareIds, type IdRange, idFrom, idUntil, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { reportRow, rowStart } from '#shared/logs/flows/packing.ts'
import { type BufferedFlow, flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { flowReport } from '#test/support/logs/flow-account.ts'

const account = randomUUID()
const stored = { account, storedAt: 1_795_000_000_000_000, rank: 'rank' }
const everything: IdRange = { first: idFrom('flow', 0), last: idUntil('flow', lastLogMicros) }

const newBatch = (ingested_at: number): Batch => ({
  policy_authorization_id: randomUUID(),
  role: 'initiator',
  initiator_device_id: randomUUID(),
  responder_device_id: randomUUID(),
  initiator_actor_id: randomUUID(),
  policy_id: randomUUID(),
  resource_id: randomUUID(),
  ingested_at,
})
const batches = [1_795_000_000_000_000, 1_795_000_100_000_000, 5].map(newBatch)

type Entered = { batch: number; report: FlowReport }

/** Rows of reports in the order of their starts, as blocks require. */
function rowsOf(reports: Entered[]): BlockRow[] {
  const at = (batch: number) => batches[batch]?.ingested_at ?? 0
  return reports
    .map(({ batch, report }): BlockRow => [batch, ...reportRow(report, at(batch))])
    .sort(([a, ...left], [b, ...right]) => rowStart(left, at(a)) - rowStart(right, at(b)))
}

const flowOf = ({ batch, report }: Entered) => {
  const { ingested_at, ...ids } = batches[batch] as Batch
  const sk = flowLogId({ ...ids, account_id: account }, report)
  return { sk, at: ingested_at, fend: report.closing?.flow_end, report, storedAt: stored.storedAt, rank: stored.rank }
}

const read = (content: Uint8Array, walk: IdWalk = { range: everything, ascending: true }): BufferedFlow[] => [
  ...readBlock(content, stored, walk),
]
const shown = (flows: BufferedFlow[]) =>
  flows.map(({ sk, at, fend, report, storedAt, rank }) => ({ sk, at, fend, report, storedAt, rank }))

const micros = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.nat({ max: lastLogMicros }))
const counter = fc.oneof(fc.nat(), fc.bigInt({ min: 2n ** 53n + 1n, max: 2n ** 63n - 1n }).map(String))
const address = fc.oneof(fc.ipV4(), fc.ipV6())
const port = fc.nat({ max: 65_535 })
const outer = fc.record({
  src_ip: fc.option(address),
  src_port: fc.option(port),
  dst_ip: address,
  dst_port: port,
  path_activated_at: micros,
})
const closing = fc.record({
  flow_end: fc.oneof(micros, fc.constantFrom(-5, 253_402_300_700_000_000)),
  last_packet: micros,
  rx_packets: counter,
  tx_packets: counter,
  rx_bytes: counter,
  tx_bytes: counter,
  outers: fc.array(outer, { minLength: 1, maxLength: 3 }),
})
const report = fc.record({
  protocol: fc.constantFrom('tcp' as const, 'udp' as const),
  inner_src_ip: address,
  // Generates equal ports, so that some reports belong to the same flow.
  inner_src_port: fc.nat({ max: 2 }),
  inner_dst_ip: fc.constant('100.96.0.1'),
  inner_dst_port: port,
  flow_start: micros,
  domain: fc.option(fc.string({ unit: 'binary' })),
  closing: fc.option(closing),
})
const entered = fc.array(fc.record({ batch: fc.nat({ max: 2 }), report }), { minLength: 1, maxLength: 30 })
const repeated = fc
  .tuple(entered, fc.array(fc.tuple(fc.nat(), fc.option(closing)), { maxLength: 8 }))
  .map(([reports, again]) => [
    ...reports,
    ...again.map(([i, close]) => {
      const { batch, report } = reports[i % reports.length] as Entered
      return { batch, report: { ...report, closing: close } }
    }),
  ])

describe('a block', () => {
  it('returns the reports of a range in the order of their log ids, in both directions', () => {
    fc.assert(
      fc.property(repeated, fc.nat(), fc.nat(), fc.boolean(), (reports, a, b, ascending) => {
        const [block, ...others] = encodeBlocks(batches, rowsOf(reports))
        expect(others).toEqual([])
        // Sorts by start first, as `rowsOf` does, because reports of one flow stay in their order.
        const flows = reports.map(flowOf)
        const ids = flows.map(({ sk }) => sk).sort(compareIds)
        const [first = '', last = ''] = [ids[a % ids.length] ?? '', ids[b % ids.length] ?? ''].sort()
        const expected = flows
          .filter(({ sk }) => sk >= first && sk <= last)
          .sort((x, y) => (ascending ? 1 : -1) * compareIds(x.sk, y.sk))
        expect(shown(read(block?.content as Buffer, { range: { first, last }, ascending }))).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('contains the ids of the token, and the account of its partition', () => {
    const [block] = encodeBlocks(batches, rowsOf([{ batch: 1, report: flowReport(1) }]))
    const { ingested_at: _at, ...ids } = batches[1] as Batch
    expect(read(block?.content as Buffer)[0]?.ids).toEqual({ ...ids, account_id: account })
  })

  it('has one huge report if two do not fit, and a report that is larger than a block', () => {
    const huge = (start: number, ipBytes: number) => {
      const one = flowReport(start, { end: start + 1 })
      const path = () => ({
        src_ip: randomBytes(ipBytes).toString('hex'),
        src_port: 1,
        dst_ip: randomBytes(ipBytes).toString('hex'),
        dst_port: 2,
        path_activated_at: 3,
      })
      return { ...one, closing: one.closing && { ...one.closing, outers: Array.from({ length: 1_000 }, path) } }
    }
    for (const ipBytes of [16, 40]) {
      const reports = [flowReport(0), huge(1, ipBytes), huge(2, ipBytes), flowReport(3)]
      const blocks = encodeBlocks(batches, rowsOf(reports.map((one) => ({ batch: 0, report: one }))))
      expect(blocks.length).toBe(ipBytes === 16 ? 2 : 4)
      expect(blocks.flatMap(({ content }) => read(content).map(({ report }) => report))).toEqual(reports)
      expect(Math.max(...blocks.map(({ content }) => content.length)) > 65_536).toBe(ipBytes === 40)
    }
  })

  it.each([
    ['random domains', () => randomBytes(100).toString('hex')],
    ['equal domains', () => 'x'.repeat(250)],
  ])('has at most 64 KB and a million characters; more reports are split: %s', (_name, domain) => {
    const reports = Array.from({ length: 6_000 }, (_, i) => ({
      batch: i % 3,
      report: flowReport(i >> 2, { inner_src_port: i, domain: domain() }),
    }))
    const rows = rowsOf(reports)
    const blocks = encodeBlocks(batches, rows)
    expect(blocks.length).toBeGreaterThan(1)
    for (const { content } of blocks) expect(content.length).toBeLessThanOrEqual(65_536)
    expect(blocks.flatMap((block) => block.rows.map(([, ...row]) => row))).toEqual(rows.map(([, ...row]) => row))
    const flows = blocks.flatMap(({ content }) => read(content).map(({ sk }) => sk))
    expect(flows.toSorted()).toEqual(reports.map((one) => flowOf(one).sk).sort())
    for (const { content, rows: own } of blocks.slice(0, 2)) expect(read(content)).toHaveLength(own.length)
  })

  it('that is damaged or of another version is an error', () => {
    const [block] = encodeBlocks(batches, rowsOf([{ batch: 0, report: flowReport(1) }]))
    const content = block?.content as Buffer
    const damaged = [
      content.subarray(0, -1),
      Buffer.alloc(0),
      randomBytes(100),
      zstdCompressSync('null'),
      zstdCompressSync('{"version":2,"batches":[],"rows":[]}'),
      zstdCompressSync('{"version":1,'),
    ]
    for (const bytes of damaged) expect(() => read(bytes)).toThrow()
  })
})

describe('merged flows in blocks', () => {
  it('keep their ingest times and ids, in the order of their log ids', () => {
    fc.assert(
      fc.property(entered, fc.boolean(), (reports, ascending) => {
        const [block] = encodeBlocks(batches, rowsOf(reports))
        const flows = new Map(read(block?.content as Buffer).map((flow) => [flow.sk, flow]))
        const sorted = [...flows.values()].sort((a, b) => compareIds(a.sk, b.sk))
        const [content, ...others] = encodeFlows(sorted)
        expect(others).toEqual([])
        const found = read(content as Buffer, { range: everything, ascending })
        expect(ascending ? found : found.reverse()).toEqual(sorted)
      }),
      { numRuns: 100 },
    )
    expect(encodeFlows([])).toEqual([])
  })
})
