import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import {
  flowSlicesPartition,
  longFlowClasses,
  longFlowsPartition,
  openFlowsPartition,
} from '#shared/logs/flows/flow-index.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { queryItems } from '#shared/table/read.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { failTable } from '#test/support/table/table-faults.ts'

const minute = 60_000_000
const noon = (Math.floor(clock.now() / 86_400_000_000) - 2) * 86_400_000_000 + 720 * minute
let account: string
let claims: Awaited<ReturnType<typeof newFlowGrant>>['claims']
let port = 0

beforeEach(async () => {
  account = randomUUID()
  claims = (await newFlowGrant(account)).claims
  at(0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Sets the clock to this number of minutes after noon. */
const at = (minutes: number) => vi.spyOn(clock, 'now').mockReturnValue(noon + minutes * minute)

function newFlow(start: number) {
  const fields = { inner_src_port: ++port, flow_start: timestamp(noon + start * minute) }
  const store = async (record: unknown) => {
    const { report } = checkFlowReport(record) as { report: FlowReport }
    return (await storeFlowLogs({ Records: [flowRecord(claims(), clock.now(), report)] })).batchItemFailures.length
  }
  return {
    port,
    open: () => store(openRecord(fields)),
    close: (end: number) => store(closeRecord({ ...fields, flow_end: timestamp(noon + end * minute) })),
  }
}

/** Lists the source ports of the flows since `begin` minutes after noon. */
async function flowsFrom(begin: number): Promise<number[]> {
  const window = { begin: timestamp(noon + begin * minute), end: timestamp(noon + 10_000 * minute) }
  const row = { id: account, inserted_at: timestamp(0) } as AccountRow
  const { data } = await listLogs(row, new URLSearchParams({ type: 'flow', ...window }))
  return data.map((entry) => (entry as { inner_src_port: number }).inner_src_port)
}

const pointers = async () => (await queryItems(openFlowsPartition(account))).length
const marked = async () => (await queryItems(flowSlicesPartition(account))).length
const longOnes = async () => {
  const all = await Promise.all(
    longFlowClasses.map(({ classIndex }) => queryItems(longFlowsPartition(account, classIndex))),
  )
  return all.flat().length
}

it('costs one write per report of a short flow, and no read', async () => {
  await newFlow(0).open()
  const flow = newFlow(1)
  expect(await measure(() => flow.open())).toMatchObject({ requests: 1, reads: 0, writes: 1 })
  at(4)
  expect(await measure(() => flow.close(4))).toMatchObject({ requests: 1, reads: 0, writes: 1 })
  expect([await pointers(), await longOnes()]).toEqual([0, 0])
})

it('stores a pointer to an open flow once its slice is settled, and removes it when the flow is closed', async () => {
  const [short, long] = [newFlow(0), newFlow(1)]
  await short.open()
  await long.open()
  at(3)
  await short.close(3)
  expect([await marked(), await pointers(), await flowsFrom(8)]).toEqual([1, 0, [long.port]])
  for (const [minutes, stand] of [
    [16, [2, 0]],
    [22, [2, 1]],
  ] as const) {
    at(minutes)
    await newFlow(minutes).open()
    expect([await marked(), await pointers()]).toEqual(stand)
    expect(await flowsFrom(minutes - 0.5)).toEqual([port, ...(minutes === 22 ? [port - 1] : []), long.port])
  }
  at(30)
  await long.close(29)
  expect([await pointers(), await longOnes()]).toEqual([0, 1])
  expect(await flowsFrom(28)).toContain(long.port)
  expect(await flowsFrom(29)).not.toContain(long.port)
})

it('finds a flow whose open report arrives long after its start', async () => {
  at(600)
  const flow = newFlow(0)
  await flow.open()
  expect([await marked(), await pointers(), await flowsFrom(599)]).toEqual([0, 1, [flow.port]])
  await flow.close(500)
  await flow.open()
  expect([await pointers(), await flowsFrom(499), await flowsFrom(500)]).toEqual([0, [flow.port], []])
})

it('does not index a slice while a consumer can still store a flow without a pointer', async () => {
  const late = newFlow(4)
  await newFlow(0).open()
  at(14.9)
  await late.open()
  at(15.1)
  await newFlow(15).open()
  expect(await marked()).toBe(2)
  expect(await flowsFrom(14)).toContain(late.port)
})

it('uses the stored report when reports differ about the end', async () => {
  const flow = newFlow(0)
  await flow.close(30)
  await flow.close(3)
  await flow.close(300)
  expect([await longOnes(), await flowsFrom(29), await flowsFrom(31)]).toEqual([2, [flow.port], []])
})

it('finds the flow after an interruption at any request, before and after redelivery of the batch', async () => {
  for (const steps of [0, 1, 2, 3, 4]) {
    at(0)
    const flow = newFlow(0)
    await flow.open()
    at(60)
    let left = steps
    failTable('Interrupted', () => left-- <= 0)
    const failed = await flow.close(50)
    vi.restoreAllMocks()
    at(60)
    const after = await flowsFrom(40)
    expect(after, `after ${steps}`).toContain(flow.port)
    if (failed > 0) expect(await flow.close(50)).toBe(0)
    expect(await flowsFrom(40)).toContain(flow.port)
    expect(await flowsFrom(50)).not.toContain(flow.port)
    expect(await pointers()).toBe(0)
  }
})
