import { gzipSync } from 'node:zlib'
import { KinesisClient, PutRecordsCommand, type PutRecordsCommandInput } from '@aws-sdk/client-kinesis'
import { mockClient } from 'aws-sdk-client-mock'
import { ingestFlows, parseReports } from '#shared/logs/flows/ingest-flows.ts'
import { readSample, sampleClaims, sampleFlows } from '../measure/sample-reports.ts'

/** CPU per report in microseconds, for requests with `size` reports. */
export type IngestCost = { size: number; parse: number; check: number; whole: number; gzip: number }

const total = 20_000
const maxRequests = 1_000
const rounds = 10

const workNames = ['parse', 'check', 'whole', 'gzip'] as const
type Works = Record<(typeof workNames)[number], (body: string) => unknown>

/**
 * Returns each function's minimum CPU over the same bodies. Alternates between the functions, so that other load affects all of them
 * equally.
 */
async function leastCpu(bodies: string[], works: Works): Promise<Record<keyof Works, number>> {
  const minimum = { parse: Infinity, check: Infinity, whole: Infinity, gzip: Infinity }
  for (let round = 0; round < rounds; round++) {
    for (const name of workNames) {
      const start = process.cpuUsage()
      for (const body of bodies) await works[name](body)
      const { user, system } = process.cpuUsage(start)
      minimum[name] = Math.min(minimum[name], user + system)
    }
  }
  return minimum
}

function check(body: string): void {
  const { flow_logs: records } = parseReports(body) as { flow_logs: unknown[] }
  for (const one of records) readSample(one as object)
}

/**
 * Compares the CPU for parsing, checking and packing reports with `JSON.parse` of the same bodies. Mocks the stream to exclude its time.
 */
export async function ingestCosts(sizes = [1, 100, 10_000]): Promise<IngestCost[]> {
  const { mixed } = sampleFlows()
  const kinesis = mockClient(KinesisClient)
  kinesis
    .on(PutRecordsCommand)
    .callsFake(({ Records }: PutRecordsCommandInput) => ({
      Records: Records?.map(() => ({ SequenceNumber: '1', ShardId: 'shard' })),
    }))
  try {
    const costs: IngestCost[] = []
    for (const size of sizes) {
      const bodies = Array.from({ length: Math.min(total / size, maxRequests) }, (_, batch) =>
        JSON.stringify({ flow_logs: Array.from({ length: size }, (_, i) => mixed(batch * size + i)) }),
      )
      const zipped = new Map(bodies.map((body) => [body, gzipSync(body)]))
      const least = await leastCpu(bodies, {
        parse: (body) => JSON.parse(body),
        check,
        whole: (body) => ingestFlows(sampleClaims, Buffer.from(body), {}),
        gzip: (body) => ingestFlows(sampleClaims, zipped.get(body) as Buffer, { 'content-encoding': 'gzip' }),
      })
      const reports = bodies.length * size
      const { parse, check: checked, whole, gzip } = least
      costs.push({
        size,
        parse: parse / reports,
        check: checked / reports,
        whole: whole / reports,
        gzip: gzip / reports,
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
      return `  ${size} a request: JSON.parse ${parse.toFixed(2)} µs a report; validation ${times(check - parse)} (decision 0003: at most 1.5), all with packing for the stream ${times(whole)}, from gzip ${times(gzip)}\n`
    })
    .join('')
