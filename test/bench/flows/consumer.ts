import type { KinesisStreamRecord } from 'aws-lambda'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock } from '#shared/core/clock.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { flowRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { readSample, sampleFlows } from '../measure/sample-reports.ts'

export type ConsumerCost = Consumed & { name: string; flows: number; seconds: number; cpuMs: number }

type Account = { claims: Awaited<ReturnType<typeof newFlowGrant>>['claims'] }

const perRecord = 100

function recordsOf({ claims }: Account, reports: FlowReport[]): KinesisStreamRecord[] {
  const at = clock.now()
  return Array.from({ length: Math.ceil(reports.length / perRecord) }, (_, i) =>
    flowRecord(claims(), at, ...reports.slice(i * perRecord, (i + 1) * perRecord)),
  )
}

async function store(records: KinesisStreamRecord[]): Promise<void> {
  const { batchItemFailures } = await storeFlowLogs({ Records: records })
  if (batchItemFailures.length > 0) throw new Error('A flow was not stored.')
}

async function costOf(name: string, flows: number, batches: KinesisStreamRecord[][]): Promise<ConsumerCost> {
  const start = performance.now()
  const cpu = process.cpuUsage()
  const consumed = await measure(async () => {
    for (const batch of batches) await store(batch)
  })
  const { user, system } = process.cpuUsage(cpu)
  return { name, flows, seconds: (performance.now() - start) / 1_000, cpuMs: (user + system) / 1_000, ...consumed }
}

/** Measures how flows are stored, for each order in which their reports can arrive. */
export async function consumerCosts(flows = 2_000): Promise<ConsumerCost[]> {
  const grant = await newFlowGrant((await newAccount()).id)
  const samples = sampleFlows()
  let next = 0
  const newBatch = () => {
    const ids = Array.from({ length: flows }, () => next++)
    const open = recordsOf(grant, ids.map(samples.open).map(readSample))
    const close = recordsOf(grant, ids.map(samples.close).map(readSample))
    return { open, close }
  }
  // Stores a first batch without measuring it. This batch includes compilation, and the markers for the day and the actor, which are
  // written only once.
  const { open: first } = newBatch()
  await store(first)

  const [opened, apart, together] = [newBatch(), newBatch(), newBatch()]
  return [
    await costOf('one report', flows, [opened.open]),
    await costOf('open and close, apart', flows, [apart.open, apart.close]),
    await costOf('open and close in one batch', flows, [[...together.open, ...together.close]]),
    await costOf('both once more, in one batch', flows, [[...together.open, ...together.close]]),
  ]
}

export const consumerTable = (costs: ConsumerCost[]): string =>
  costs
    .map(({ name, flows, seconds, cpuMs, writes, reads }) => {
      const rate = `${(flows / seconds).toFixed(0)} flows a second, ${((cpuMs * 1_000) / flows).toFixed(0)} µs of CPU`
      return `  ${name}: ${rate}, ${(writes / flows).toFixed(2)} write units and ${(reads / flows).toFixed(2)} read units a flow\n`
    })
    .join('')
