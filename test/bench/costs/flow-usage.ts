import type { PutRecordsCommandInput } from '@aws-sdk/client-kinesis'
import { handler as reportFlowLogs } from '#functions/api/ingestion/report-flow-logs.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { kinesis } from '#shared/logs/flows/flow-stream.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { kinesisRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { sampleFlows } from '../measure/sample-reports.ts'
import { perRun, sum, type Usage, usageOf } from '../measure/usage.ts'

const bytesPerPayloadUnit = 25 * 1_024
const bytesPerRequest = 512 * 1_024
/** As many as the rate limit of a token lets through at once. */
const requestsPerToken = 40

/** Lets a client see its changed middleware: it keeps a handler for each kind of command. */
const forgetHandlers = (client: object) => Reflect.deleteProperty(client, 'handlers')

/** Lets puts through to the stream, and notes what they hold. */
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

/** A request with reports, and the consumer's work on what it puts into the stream. */
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

/**
 * What a flow costs when it is opened in one request and closed in another, with so many reports in each. The consumer
 * is taken to be invoked for every record of the stream, the most that can be.
 */
export async function flowUsage(reportsPerRequest: number, flows: number): Promise<Usage> {
  const { id } = await newAccount()
  const samples = sampleFlows()
  const taken: Usage[] = []
  for (let from = 0, requests = requestsPerToken, token = ''; from < flows; from += reportsPerRequest) {
    if (requests + 2 > requestsPerToken) {
      token = await (await newFlowGrant(id)).token()
      requests = 0
    }
    requests += 2
    const ids = Array.from({ length: reportsPerRequest }, (_, i) => from + i)
    const opened = await reportAndStore(token, ids.map(samples.open))
    const closed = await reportAndStore(token, ids.map(samples.close))
    // The first requests compile what the others run.
    if (from > 0) taken.push(sum([opened, 1 / reportsPerRequest], [closed, 1 / reportsPerRequest]))
  }
  return perRun(taken)
}
