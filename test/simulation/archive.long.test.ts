import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { clock, dayMicros, hourMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { getLog } from '#shared/logs/query-logs.ts'
import { sealNothing } from '#test/support/logs/archive.ts'
import { killAt } from '#test/support/logs/archive-writes.ts'
import {
  deliverBatch,
  deliveriesOf,
  flowsWithin,
  minute,
  newGrants,
  origin,
} from '#test/support/logs/flow-histories.ts'
import { type Delivery, FlowModel } from '#test/support/logs/flow-model.ts'
import { MemoryBucket } from '#test/support/service/memory-bucket.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { compareFlows, draws, findFiled, flowRetention } from './compare/archived-flows.ts'

const days = 40
const flowsPerDay = 24
const dayStart = (day: number) => origin + day * dayMicros
/** Days before whose start the service is compared with the model. It is also compared after the last day. */
const checkedDays = [10, 20, 32]
/** Day on which S3 fails. */
const outageDay = 18
/** Day whose batches are delivered again on the next day. */
const replayedDay = 24

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

const dayFlow = fc.record({
  flow: flowsWithin(dayMicros),
  roles: fc.constantFrom(['initiator'] as const, ['responder'] as const, ['initiator', 'responder'] as const),
  /** Delay of all reports of a flow, whose device was offline. */
  delay: fc.oneof({ weight: 19, arbitrary: fc.constant(0) }, fc.nat({ max: 9 * dayMicros })),
})
const exactly = <T>(count: number, arbitrary: fc.Arbitrary<T>) =>
  fc.array(arbitrary, { minLength: count, maxLength: count })
/** Write at which a flush is killed. */
const kill = fc.record({ index: fc.nat({ max: 25 }), isResponseLost: fc.boolean() })
type Kill = { index: number; isResponseLost: boolean }
const histories = fc.record({
  flows: exactly(days, exactly(flowsPerDay, dayFlow)),
  batchSizes: fc.infiniteStream(fc.integer({ min: 5, max: 45 })),
  /** Number of table requests after which the consumer of a batch is killed. */
  interruptions: fc.infiniteStream(fc.option(fc.nat({ max: 8 }), { freq: 6 })),
  /** Flushes after a batch, of which some are killed. */
  flushes: fc.infiniteStream(
    fc.oneof(
      { weight: 2, arbitrary: fc.constant<(Kill | null)[]>([]) },
      { weight: 3, arbitrary: fc.constant<(Kill | null)[]>([null]) },
      { weight: 1, arbitrary: kill.map((one): (Kill | null)[] => [one]) },
    ),
  ),
  comparisons: exactly(checkedDays.length + 1, draws),
})
type History = typeof histories extends fc.Arbitrary<infer H> ? H : never

/** Answers reads of the other streams, which are empty here, because they would take half of the time. */
const skipOtherStreams = () =>
  interceptTable((command, send) => {
    const { Key, ExpressionAttributeValues: values } = command.input as {
      Key?: { pk: string }
      ExpressionAttributeValues?: Record<string, unknown>
    }
    const isOther = /#(log\.(change|session|api_request)|seal\.hour)#/.test(String(Key?.pk ?? values?.[':pk']))
    return isOther ? Promise.resolve({ Items: [] }) : send(command)
  })

async function simulate({ flows, batchSizes, interruptions, flushes, comparisons }: History): Promise<void> {
  const account = { id: randomUUID(), inserted_at: timestamp(dayStart(-1)) } as AccountRow
  const grants = await newGrants(account.id)
  const model = new FlowModel()
  const counts = { killed: 0, failed: 0, redriven: 0, replayed: 0, ended: 0 }
  let now = origin
  vi.spyOn(clock, 'now').mockImplementation(() => now)
  const working = globalThis.fetch
  const isDown = () => globalThis.fetch !== working

  const flush = async (fault: Kill | null) => {
    await sealNothing(account.id)
    const others = fault ? null : skipOtherStreams()
    const killed = fault && killAt(fault.index, fault.isResponseLost)
    const failure = await flushAccount(account.id, Number.POSITIVE_INFINITY).catch((error: unknown) => error)
    killed?.restore()
    others?.mockRestore()
    if (killed?.reached) counts.killed++
    else if (failure && isDown()) counts.failed++
    else if (failure) throw failure
  }
  /** Flushes after the lease of a killed run has expired. */
  const flushAlone = async () => {
    now += 25 * minute
    await flush(null)
  }
  const store = async (batch: Delivery[]) => {
    await deliverBatch(batch, interruptions.next().value as number | null)
    model.add(now, batch)
  }
  const compare = async (index: number) => {
    await flushAlone()
    counts.ended = await compareFlows({ account, grants, model, now }, comparisons[index] as History['comparisons'][0])
  }

  const deliveries = flows
    .flatMap((ofDay, day) =>
      ofDay.flatMap(({ flow, roles, delay }, i) => {
        const placed = { ...flow, start: flow.start + day * dayMicros }
        const { claims } = grants[flow.actor] as (typeof grants)[number]
        return roles
          .flatMap((role) => deliveriesOf(placed, day * flowsPerDay + i, claims(role)))
          .map((delivery) => ({ ...delivery, at: delivery.at + delay }))
      }),
    )
    .filter(({ at }) => at < dayStart(days))
    .sort((a, b) => a.at - b.at)

  const events: { at: number; run(): Promise<void> }[] = []
  const replayed: Delivery[] = []
  for (let [i, number] = [0, 0]; i < deliveries.length; number++) {
    const batch = deliveries.slice(i, i + (batchSizes.next().value as number))
    i += batch.length
    const at = batch.at(-1)?.at as number
    if (at >= dayStart(replayedDay) && at < dayStart(replayedDay + 1)) replayed.push(...batch)
    // Some batches are stored only when an operator redrives them after a week.
    const isRedriven = number % 20 === 7 && at < dayStart(days - 8)
    if (isRedriven) counts.redriven++
    events.push({
      at: isRedriven ? at + 7 * dayMicros : at,
      async run() {
        await store(batch)
        for (const fault of flushes.next().value as (Kill | null)[]) await flush(fault)
      },
    })
  }
  counts.replayed = replayed.length
  events.push(
    { at: dayStart(replayedDay + 1) + hourMicros, run: () => store(replayed) },
    {
      at: dayStart(outageDay),
      run: async () => void vi.stubGlobal('fetch', async () => new Response('', { status: 503 })),
    },
    {
      at: dayStart(outageDay) + dayMicros / 2,
      async run() {
        await flushAlone()
        const read = getLog(account.id, (await findFiled({ account, grants, model, now })) ?? '')
        await expect(read).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } })
      },
    },
    { at: dayStart(outageDay + 1), run: async () => void vi.stubGlobal('fetch', working) },
    ...checkedDays.map((day, i) => ({ at: dayStart(day), run: () => compare(i) })),
    // Makes the hours of all reports due.
    { at: dayStart(days) + 2 * hourMicros, run: () => compare(checkedDays.length) },
  )
  for (const { at, run } of events.sort((a, b) => a.at - b.at)) {
    now = Math.max(now + 1, at)
    await run()
  }
  for (const count of Object.values(counts)) expect(count, JSON.stringify(counts)).toBeGreaterThan(0)
}

it('has equal flows in GET /logs, blocks, archive and counters for 40 days of reports and faults', async () => {
  vi.stubEnv('ARCHIVE_FOLDER', '')
  vi.stubEnv('ARCHIVE_BUCKET', 'archive')
  vi.stubEnv('FLOW_RETENTION_DAYS', String(flowRetention / dayMicros))
  new MemoryBucket(1_000)
  vi.spyOn(clock, 'sleep').mockResolvedValue()
  await fc.assert(fc.asyncProperty(histories, simulate), { numRuns: 1, endOnFailure: true })
}, 600_000)
