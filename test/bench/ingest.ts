import { gzipSync } from 'node:zlib'
import { KinesisClient, PutRecordsCommand } from '@aws-sdk/client-kinesis'
import { mockClient } from 'aws-sdk-client-mock'
import { checkFlowReport } from '#shared/flows/check-flow-report.ts'
import { ingestFlows } from '#shared/flows/ingest-flows.ts'
import type { IngestClaims } from '#shared/flows/ingest-token.ts'
import { parseReports } from '#shared/flows/parse-reports.ts'

/** CPU of one report, in microseconds, in requests of one size. */
export type IngestCost = { size: number; parse: number; check: number; whole: number; gzip: number }

const total = 20_000
const mostRequests = 1_000
const rounds = 5

const claims: IngestClaims = {
  account_id: '0190a000-0000-7000-8000-000000000001',
  policy_authorization_id: '0190a000-0000-7000-8000-000000000002',
  role: 'initiator',
  uploads_enabled: true,
  iat: 1_760_000_000,
  exp: 1_790_000_000,
  initiator_device_id: '0190a000-0000-7000-8000-000000000003',
  initiator_actor_id: '0190a000-0000-7000-8000-000000000004',
  resource_id: '0190a000-0000-7000-8000-000000000005',
}

/** Half open and half close reports, as a gateway sends them. */
const record = (i: number) => {
  const flow = {
    protocol: i % 4 < 2 ? 'tcp' : 'udp',
    inner_src_ip: `100.64.0.${i % 250}`,
    inner_src_port: 1_024 + (i % 60_000),
    inner_dst_ip: '100.96.0.3',
    inner_dst_port: 443,
    flow_start: new Date(1_760_000_000_000 + i).toISOString(),
    domain: 'wiki.example.com',
  }
  if (i % 2 === 0) return flow
  return {
    ...flow,
    flow_end: new Date(1_760_000_060_000 + i).toISOString(),
    last_packet: new Date(1_760_000_059_000 + i).toISOString(),
    rx_packets: 12 + i,
    tx_packets: 9 + i,
    rx_bytes: 15_000 + i,
    tx_bytes: 2_100 + i,
    outers: [
      {
        src_ip: '198.51.100.7',
        src_port: 51_820,
        dst_ip: '192.0.2.1',
        dst_port: 51_820,
        path_activated_at: new Date(1_760_000_000_000 + i).toISOString(),
      },
    ],
  }
}

/** The least CPU of several rounds over the same bodies, in all. */
async function cpu(bodies: string[], work: (body: string) => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage()
    for (const body of bodies) await work(body)
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, user + system)
  }
  return least
}

function check(body: string): void {
  const { flow_logs: records } = parseReports(body) as { flow_logs: unknown[] }
  for (const one of records) if (!('report' in checkFlowReport(one))) throw new Error('A good report was refused.')
}

/** What reading, checking and packing reports costs beside `JSON.parse` of the same bodies, the stream's time left out. */
export async function ingestCosts(sizes = [1, 100, 10_000]): Promise<IngestCost[]> {
  const kinesis = mockClient(KinesisClient)
  kinesis.on(PutRecordsCommand).callsFake(({ Records }: { Records: unknown[] }) => ({
    Records: Records.map(() => ({ SequenceNumber: '1', ShardId: 'shard' })),
  }))
  try {
    const costs: IngestCost[] = []
    for (const size of sizes) {
      const bodies = Array.from({ length: Math.min(total / size, mostRequests) }, (_, batch) =>
        JSON.stringify({ flow_logs: Array.from({ length: size }, (_, i) => record(batch * size + i)) }),
      )
      const zipped = new Map(bodies.map((body) => [body, gzipSync(body)]))
      const reports = bodies.length * size
      const each = async (work: (body: string) => unknown) => (await cpu(bodies, work)) / reports
      costs.push({
        size,
        parse: await each((body) => JSON.parse(body)),
        check: await each(check),
        whole: await each((body) => ingestFlows(claims, Buffer.from(body), {})),
        gzip: await each((body) => ingestFlows(claims, zipped.get(body) as Buffer, { 'content-encoding': 'gzip' })),
      })
    }
    return costs
  } finally {
    kinesis.restore()
  }
}

export const ingestTable = (costs: IngestCost[]): string =>
  costs
    .map(({ size, parse, check, whole, gzip }) => {
      const times = (cost: number) => `${(cost / parse).toFixed(2)} ×`
      return `  ${size} a request: JSON.parse ${parse.toFixed(2)} µs a report; parse and check ${times(check)}, packed for the stream as well ${times(whole)}, from gzip ${times(gzip)}\n`
    })
    .join('')
