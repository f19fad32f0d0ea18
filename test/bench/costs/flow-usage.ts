import type { PutRecordsCommandInput } from '@aws-sdk/client-kinesis'
import { handler as reportFlowLogs } from '#functions/api/ingestion/report-flow-logs.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { kinesis } from '#shared/logs/flows/flow-stream.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { kinesisRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { sampleFlows } from '../measure/sample-reports.ts'
import { perRun, sum, type Usage, usageOf } from '../measure/usage.ts'

/** Reports per request, and the number of flows to measure. */
export const flowRequests = [
  [10, 200],
  [100, 1_000],
  [1_000, 2_000],
] as const

const bytesPerPayloadUnit = 25 * 1_024
const bytesPerRequest = 512 * 1_024
/** Number of requests in a burst that the rate limit allows per token. */
const requestsPerToken = 40

/** Clears the cached command handlers of a client, so that changes to its middleware take effect. */
const forgetHandlers = (client: object) => Reflect.deleteProperty(client, 'handlers')

/** Returns the data that `work` puts into the stream. */
async function noteRecords(work: () => Promise<unknown>): Promise<Buffer[]> {
  const noted: Buffer[] = []
  const client = kinesis()
  const { middlewareStack } = client
  const name = 'notesRecords'
  middlewareStack.add(
    (next) => (args) => {
      const { Records = [] } = args.input as PutRecordsCommandInput
      noted.push(...Records.map(({ Data }) => Buffer.from(Data ?? [])))
      return next(args)
    },
    { step: 'initialize', name },
  )
  forgetHandlers(client)
  try {
    await work()
  } finally {
    middlewareStack.remove(name)
    forgetHandlers(client)
  }
  return noted
}

async function reportAndStore(token: string, reports: object[]): Promise<Usage> {
  const body = { flow_logs: reports }
  let ingest: Partial<Usage> = {}
  const records = await noteRecords(async () => {
    ingest = await usageOf(async () => {
      const { status } = await call(reportFlowLogs, { method: 'POST', path: '/ingestion/flow_logs', token, body })
      if (status !== 200) throw new Error(`A report was answered with ${status}.`)
    })
  })
  const store = await usageOf(async () => {
    const { batchItemFailures } = await storeFlowLogs({ Records: records.map(kinesisRecord) })
    if (batchItemFailures.length > 0) throw new Error('A flow was not stored.')
  })
  const requests = {
    httpRequests: Math.ceil(JSON.stringify(body).length / bytesPerRequest),
    lambdaRequests: 1 + records.length,
    payloadUnits: records.reduce((units, { length }) => units + Math.ceil(length / bytesPerPayloadUnit), 0),
  }
  return sum([ingest, 1], [store, 1], [requests, 1])
}

/** Measures a flow that is opened in one request and closed in a different one. Assumes the maximum of one consumer run per record. */
export async function flowUsage(reportsPerRequest: number, flows: number): Promise<Usage> {
  const { id } = await newAccount()
  const samples = sampleFlows()
  const usages: Usage[] = []
  for (let from = 0, requests = requestsPerToken, token = ''; from < flows; from += reportsPerRequest) {
    if (requests + 2 > requestsPerToken) {
      token = await (await newFlowGrant(id)).token()
      requests = 0
    }
    requests += 2
    const ids = Array.from({ length: reportsPerRequest }, (_, i) => from + i)
    const opened = await reportAndStore(token, ids.map(samples.open))
    const closed = await reportAndStore(token, ids.map(samples.close))
    // Excludes the first requests, which include compilation.
    if (from > 0) usages.push(sum([opened, 1 / reportsPerRequest], [closed, 1 / reportsPerRequest]))
  }
  return perRun(usages)
}
