import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { pack, unpack } from '#shared/logs/flows/packing.ts'
import { closeRecord, openRecord, reportsOf } from '#test/support/logs/flows.ts'

const claims = { account_id: 'a', policy_authorization_id: 'b', role: 'initiator' } as IngestClaims
const now = 1_800_000_000_000_001
const reportOf = (record: unknown): FlowReport => (checkFlowReport(record) as { report: FlowReport }).report
const path = {
  src_ip: '2001:db8::1',
  src_port: 1,
  dst_ip: '192.0.2.1',
  dst_port: 2,
  path_activated_at: '1999-01-01T00:00:00Z',
}

it('unpacks the packed reports in order', async () => {
  const record = fc.oneof(
    fc.record({ inner_src_port: fc.nat(65_535), domain: fc.constantFrom(null, 'ü.example') }).map(openRecord),
    fc
      .record({
        rx_bytes: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
        flow_start: fc.constantFrom('1970-01-01T00:00:00Z', '2112-09-01T00:00:00.000001Z'),
        flow_end: fc.constantFrom('0001-01-01T00:00:00Z', '2200-01-01T00:00:00.000001Z'),
        outers: fc.array(fc.constant(path), { minLength: 1, maxLength: 3 }),
      })
      .map(closeRecord),
  )
  await fc.assert(
    fc.property(fc.array(record, { maxLength: 20 }), (records) => {
      const reports = records.map(reportOf)
      const unpacked = pack(claims, now, reports).map(unpack)
      expect(unpacked.flatMap(reportsOf)).toEqual(reports)
      for (const part of unpacked) expect([part.claims, part.ingested_at]).toEqual([claims, now])
    }),
  )
})

it('keeps every pack well below the maximum size of a stream record', () => {
  let seed = 1
  const noise = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return String.fromCharCode(0x4e00 + (seed % 20_000))
  }
  const reports = Array.from({ length: 3_000 }, () =>
    reportOf(openRecord({ domain: Array.from({ length: 255 }, noise).join('') })),
  )
  reports.push(reportOf(closeRecord({ outers: Array(1_000).fill(path) })))
  const packs = pack(claims, now, reports)
  expect(Math.max(...packs.map((bytes) => bytes.length))).toBeLessThan(1_000_000)
  expect(packs.map(unpack).flatMap(reportsOf)).toEqual(reports)
})

it('packs ten thousand typical reports into few small records', () => {
  const reports = Array.from({ length: 10_000 }, (_, i) =>
    reportOf(closeRecord({ inner_src_port: i % 60_000, rx_bytes: i * 977 })),
  )
  const packs = pack(claims, now, reports)
  expect(packs.length).toBeLessThanOrEqual(20)
  expect(Math.max(...packs.map((bytes) => bytes.length))).toBeLessThan(200_000)
})

it('rejects data that is not a pack', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('nonsense')]) expect(() => unpack(bytes)).toThrow()
})
