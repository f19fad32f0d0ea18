import type { KinesisStreamEvent } from 'aws-lambda'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { pack } from '#shared/logs/flows/packing.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'
import { newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'

let world: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  world = await sampleRequests()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it.each([
  ['GET /groups', { class: 'read' }],
  ['POST /groups', { class: 'change' }],
  ['POST /client/authorizations', { class: 'access', grants: 1 }],
  ['POST /ingestion/flow_logs', { class: 'ingest', flows_ingested: 1 }],
  ['GET /v0/users', { class: 'v0' }],
  ['DELETE /sign_in/session', { class: 'sign_in' }],
])('%s is measured by its class: %j', async (name, measured) => {
  const request = (await world.samples[name]?.()) ?? {}
  const log = catchLog()
  await world.send(name, request)
  const lines = log.lines().filter(({ event }) => event === 'request')
  expect(lines).toEqual([expect.objectContaining({ ...measured, latency_ms: expect.any(Number), faults: 0 })])
})

it('measures the end of access from its commit on, once', async () => {
  const access = await newAccessWorld()
  await access.addGateway()
  await access.startSession()
  expect((await access.ask({ resource_id: access.resource.id })).status).toBe(201)
  const log = catchLog()
  const body = { policy: { is_disabled: true } }
  await access.account.call(updatePolicy, { method: 'PATCH', params: { id: access.policy.id }, body })
  await followUpAll(access.account.id)
  const measured = log.lines().filter((line) => 'revocation_lag_ms' in line)
  expect(measured).toMatchObject([{ operation: 'PATCH /policies/{id}', revocation_lag_ms: expect.any(Number) }])
})

it('counts stored reports of flows', async () => {
  const account = await newAccount()
  const { claims } = await newFlowGrant(account.id)
  const report = (port: number): FlowReport =>
    (checkFlowReport(openRecord({ inner_src_port: port })) as { report: FlowReport }).report
  const data = pack(claims(), clock.now(), [report(1_001), report(1_002)]).map((bytes) => bytes.toString('base64'))
  const log = catchLog()
  const Records = data.map((text) => ({ kinesis: { data: text, sequenceNumber: '1' } }))
  await storeFlowLogs({ Records } as KinesisStreamEvent)
  expect(log.lines()).toMatchObject([{ event: 'run', operation: 'store-flow-logs', flows_stored: 2, records: 1 }])
})
