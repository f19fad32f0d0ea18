import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { flowRecord, openRecord } from '#test/support/logs/flows.ts'

let silent: Server
let requestCount = 0

beforeAll(async () => {
  // Accepts every request and never responds.
  silent = createServer(() => requestCount++)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  vi.stubEnv('AWS_ENDPOINT_URL_KINESIS', endpoint)
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint)
  // Loads the modules again, because existing clients keep the endpoints of the real engines.
  vi.resetModules()
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
  silent.closeAllConnections()
  silent.close()
})

const claims: IngestClaims = {
  account_id: randomUUID(),
  policy_authorization_id: randomUUID(),
  role: 'initiator',
  uploads_enabled: true,
  iat: 0,
  exp: 0,
  initiator_device_id: randomUUID(),
  responder_device_id: randomUUID(),
  initiator_actor_id: randomUUID(),
  policy_id: randomUUID(),
  resource_id: randomUUID(),
}

it('times out on a stream and a table that never respond, and acknowledges and stores nothing', async () => {
  const { ingestFlows } = await import('#shared/logs/flows/ingest-flows.ts')
  const { handler: store } = await import('#functions/streams/store-flow-logs.ts')
  const body = Buffer.from(JSON.stringify({ flow_logs: [openRecord()] }))
  const { report } = checkFlowReport(openRecord()) as { report: FlowReport }
  const records = [flowRecord(claims, clock.now(), report), flowRecord(claims, clock.now(), report)]
  const [ingested, stored] = await Promise.allSettled([ingestFlows(claims, body, {}), store({ Records: records })])
  expect(ingested).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
  expect(stored).toMatchObject({
    value: { batchItemFailures: [{ itemIdentifier: records[0]?.kinesis.sequenceNumber }] },
  })
  expect(requestCount).toBeGreaterThan(4)
})
