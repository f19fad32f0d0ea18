import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler } from '#functions/streams/store-flow-logs.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/flow-store.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { failTable } from '#test/support/table/table-faults.ts'

let account: Awaited<ReturnType<typeof newAccount>>
let grant: Awaited<ReturnType<typeof newFlowGrant>>
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 1_000_000, api_refill_rate: 1_000_000 } })
  grant = await newFlowGrant(account.id)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const report = (record: unknown) => (checkFlowReport(record) as { report: FlowReport }).report
const deliver = async (reports: FlowReport[], at = clock.now(), consumer = handler) =>
  (await consumer({ Records: [flowRecord(grant.claims(), at, ...reports)] })).batchItemFailures.length
let starts = clock.now() - 1_000_000

function newFlow() {
  const flow_start = timestamp(++starts)
  const flow_end = timestamp(starts + 1_000_000)
  const open = report(openRecord({ flow_start }))
  const log_id = flowLogId(grant.claims(), open)
  return {
    open,
    close: (rx_bytes = 3) => report(closeRecord({ flow_start, flow_end, rx_bytes })),
    read: async () => (await account.call(getLog, { params: { log_id } })).body.data,
  }
}
const newFlows = (count: number) => Array.from({ length: count }, newFlow)

it('stores 25 flows per request, with one write unit per report', async () => {
  // Holds the clock, because the consumer indexes open flows once in each slice of time.
  vi.spyOn(clock, 'now').mockReturnValue(clock.now())
  await deliver([newFlow().open])
  const flows = newFlows(100)
  const opened = await measure(() => deliver(flows.map(({ open }) => open)))
  expect(opened).toMatchObject({ requests: 4, writes: 100, reads: 0 })
  const closed = await measure(() => deliver(flows.map(({ close }) => close())))
  expect(closed).toMatchObject({ requests: 4, writes: 100, reads: 0 })
  const both = await measure(() => deliver(newFlows(50).flatMap(({ open, close }) => [open, close()])))
  expect(both).toMatchObject({ requests: 2, writes: 50, reads: 0 })
  const alone = await measure(() => deliver(newFlows(10).map(({ close }) => close())))
  expect(alone).toMatchObject({ writes: 10, reads: 0 })
  expect(await flows[7]?.read()).toMatchObject({ rx_bytes: 3, outers: [{}] })
})

it('results in the same state when independent consumers share the reports', async () => {
  const deliveries = fc.array(
    fc.record({ consumer: fc.nat(1), reports: fc.array(fc.constantFrom('open', 'close'), { minLength: 1 }) }),
    { minLength: 1, maxLength: 5 },
  )
  // Loads the consumer twice, because each instance has its own set of opened flows.
  const consumers = [handler]
  vi.resetModules()
  consumers.push((await import('#functions/streams/store-flow-logs.ts')).handler)
  await fc.assert(
    fc.asyncProperty(deliveries, fc.boolean(), async (batches, together) => {
      const flow = newFlow()
      const first = clock.now()
      const runs = batches.map(({ consumer, reports }, i) => {
        const sent = reports.map((kind) => (kind === 'open' ? flow.open : flow.close(i)))
        return () => deliver(sent, first + i, consumers[consumer])
      })
      if (together) await Promise.all(runs.map((run) => run()))
      else for (const run of runs) await run()
      const entry = await flow.read()
      const closing = batches.findIndex(({ reports }) => reports.includes('close'))
      if (closing < 0) expect(entry.flow_end).toBeNull()
      else if (together) expect(entry.outers).toHaveLength(1)
      else expect(entry.rx_bytes).toBe(closing)
      if (!together) expect(Date.parse(entry.timestamp)).toBe(Math.floor(first / 1_000))
    }),
    { numRuns: 60 },
  )
})

it('retries refused statements as single writes, and fails reports that are refused again', async () => {
  const flows = newFlows(3)
  interceptTable(async (command, send) => {
    if (!(command instanceof BatchExecuteStatementCommand)) return send(command)
    const [, ...others] = command.input.Statements ?? []
    const { Responses = [] } = await send(new BatchExecuteStatementCommand({ Statements: others }))
    return { Responses: [{ Error: { Code: 'ThrottlingError' } }, ...Responses] }
  })
  expect(await deliver(flows.map(({ open }) => open))).toBe(0)
  vi.restoreAllMocks()
  for (const flow of flows) expect((await flow.read()).flow_end).toBeNull()
})

it('fails all reports of a refused request, and stores them at the next delivery', async () => {
  const flow = newFlow()
  failTable('ThrottlingException', (command) => command instanceof BatchExecuteStatementCommand)
  expect(await deliver([flow.open])).toBe(1)
  vi.restoreAllMocks()
  expect([await deliver([flow.open]), await deliver([flow.close()])]).toEqual([0, 0])
  expect((await flow.read()).rx_bytes).toBe(3)
})
