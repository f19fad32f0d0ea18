import { gzipSync } from 'node:zlib'
import { KinesisClient, PutRecordsCommand } from '@aws-sdk/client-kinesis'
import { mockClient } from 'aws-sdk-client-mock'
import { ingestFlows } from '#shared/flows/ingest-flows.ts'
import { parseReports } from '#shared/flows/parse-reports.ts'
import { readSample, sampleClaims, sampleFlows } from './sample-reports.ts'

/** CPU of one report, in microseconds, in requests of one size. */
export type IngestCost = { size: number; parse: number; check: number; whole: number; gzip: number }

const total = 20_000
const mostRequests = 1_000
const rounds = 5

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
  for (const one of records) readSample(one as object)
}

/** What reading, checking and packing reports costs beside `JSON.parse` of the same bodies, the stream's time left out. */
export async function ingestCosts(sizes = [1, 100, 10_000]): Promise<IngestCost[]> {
  const { mixed } = sampleFlows()
  const kinesis = mockClient(KinesisClient)
  kinesis.on(PutRecordsCommand).callsFake(({ Records }: { Records: unknown[] }) => ({
    Records: Records.map(() => ({ SequenceNumber: '1', ShardId: 'shard' })),
  }))
  try {
    const costs: IngestCost[] = []
    for (const size of sizes) {
      const bodies = Array.from({ length: Math.min(total / size, mostRequests) }, (_, batch) =>
        JSON.stringify({ flow_logs: Array.from({ length: size }, (_, i) => mixed(batch * size + i)) }),
      )
      const zipped = new Map(bodies.map((body) => [body, gzipSync(body)]))
      const reports = bodies.length * size
      const each = async (work: (body: string) => unknown) => (await cpu(bodies, work)) / reports
      costs.push({
        size,
        parse: await each((body) => JSON.parse(body)),
        check: await each(check),
        whole: await each((body) => ingestFlows(sampleClaims, Buffer.from(body), {})),
        gzip: await each((body) =>
          ingestFlows(sampleClaims, zipped.get(body) as Buffer, { 'content-encoding': 'gzip' }),
        ),
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
