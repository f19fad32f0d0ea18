import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { clock, dayMicros, hourMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { mergeDay, putHourCounts } from '#shared/logs/counters/count-items.ts'
import type { CountedDimension } from '#shared/logs/counters/dimensions.ts'
import { countLimits, ValueCounts } from '#shared/logs/counters/value-counts.ts'
import { FlowFiles } from '#shared/logs/files/flow-files.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { type BufferedFlow, flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { readHistogram, readTopValues } from '#shared/logs/traffic-answers.ts'
import { putArchiveState } from '#test/support/logs/archive.ts'
import { closeRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantFlows } from '#test/support/table/plant-flows.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const days = 30
const flowsPerHour = 30_000_000 / (days * 24)

/** Returns numbers from 0 to 1, the same in every run. */
function randomNumbers() {
  let state = 42
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Stores the counters of 30,000,000 flows of 30 days. One of twenty flows is closed in a later hour, and one of 200 is late. */
async function plantCounts(account: string, actorCount: number, begin: number): Promise<void> {
  const random = randomNumbers()
  const actors = Array.from({ length: actorCount }, () => randomUUID())
  const share = (count: number): Map<CountedDimension, ValueCounts> => {
    const counts = new Map([
      ['actor', new ValueCounts()],
      ['total', new ValueCounts()],
    ] as const)
    for (const position of [0, 3]) {
      for (const actor of actors) {
        const flows = Math.floor((count * (0.5 + random())) / (2 * actorCount) + random())
        if (flows === 0) continue
        const bytes = [1, 2].map(() => Math.floor(flows * 20_000 * (0.3 + random())))
        counts.get('actor')?.add(actor, position, flows, ...bytes)
        counts.get('total')?.add('', position, flows, ...bytes)
      }
    }
    return counts
  }
  // All hours have the same counters, because generating others takes long. No item contains those of two hours.
  const shares = (
    [
      [7, 0.0025],
      [2, 0.0025],
      [1, 0.05],
      [0, 0.945],
    ] as const
  ).map(([age, part]) => [age, share(flowsPerHour * part)] as const)
  for (let hour = begin; hour < begin + days * dayMicros; hour += hourMicros) {
    const names = ['actor', 'total'] as const
    const counted = names.map((name) => {
      const hours = shares.flatMap(
        ([age, counts]) => counts.get(name)?.toHour(hour - age * hourMicros, countLimits.values) ?? [],
      )
      return [name, hours] as const
    })
    await putHourCounts(account, hour, counted)
    if (hour % dayMicros === 0) await mergeDay(account, hour - dayMicros)
  }
  await putArchiveState(account, begin + days * dayMicros)
}

it('reads the counters of 30,000,000 flows of 800 actors within the goals (R14)', { timeout: 300_000 }, async () => {
  const account = randomUUID()
  const begin = Math.floor(clock.now() / dayMicros) * dayMicros - days * dayMicros - 12 * hourMicros
  await plantCounts(account, 800, begin)
  vi.spyOn(clock, 'now').mockReturnValue(begin + days * dayMicros + 1_800 * 1_000_000)
  const window = { begin: timestamp(begin), end: timestamp(begin + days * dayMicros) }
  const histogram = (query = {}) => readHistogram(account, new URLSearchParams({ ...window, ...query }))
  const { data } = await histogram({ by: 'actor' })
  const total = data.hours.reduce((sum, { flows }) => sum + flows, 0)
  expect(total).toBeGreaterThan(25_000_000)
  const actor = data.hours[0]?.by[0]?.value ?? ''

  const by = await measure(() => histogram({ by: 'actor' }))
  const totals = await measure(() => histogram())
  const filtered = await measure(() => histogram({ actor_id: actor }))
  const top = await measure(() => readTopValues(account, new URLSearchParams(window)))
  expect(totals.reads).toBeLessThanOrEqual(60)
  for (const { reads } of [by, filtered, top]) expect(reads).toBeLessThanOrEqual(1_100)
})

it('reads a filtered page within the goals (R14)', async () => {
  const account = { id: randomUUID(), inserted_at: timestamp(clock.now() - 90 * dayMicros) } as AccountRow
  const [frequent, rare] = [await newFlowGrant(account.id), await newFlowGrant(account.id)]
  const first = Math.floor(clock.now() / dayMicros) * dayMicros - 10 * dayMicros
  const flows = Array.from({ length: 4 * 24 * 20 }, (_, i): BufferedFlow => {
    const flow_start = first + i * 180_000_000
    const { claims } = i % 600 === 300 ? rare : frequent
    const { report } = checkFlowReport(
      closeRecord({
        inner_src_port: i,
        flow_start: timestamp(flow_start),
        flow_end: timestamp(flow_start + 1_000_000),
      }),
    ) as { report: FlowReport }
    const at = flow_start + 2_000_000
    const sk = flowLogId(claims(), report)
    return { sk, at, fend: flow_start + 1_000_000, ids: claims(), report, storedAt: at, rank: '' }
  })
  await plantFlows(account.id, flows)
  const now = clock.now() + 120_000_000
  vi.spyOn(clock, 'now').mockReturnValue(now)
  const objects = vi.spyOn(FlowFiles.prototype, 'rows')
  const page = async ({ attribution }: typeof frequent) => {
    objects.mockClear()
    const query = { type: 'flow', begin: timestamp(first), device_id: attribution.responder_device_id }
    let count = 0
    const { reads } = await measure(async () => {
      const { data, metadata } = await listLogs(account, new URLSearchParams(query))
      count = data.length
      expect(metadata.read_until).toBeNull()
    })
    return { count, reads, groups: objects.mock.calls.length }
  }
  const ofFrequent = await page(frequent)
  expect(ofFrequent.count).toBe(50)
  expect(ofFrequent.reads).toBeLessThanOrEqual(60)
  const ofRare = await page(rare)
  expect(ofRare.count).toBe(3)
  expect(ofRare.reads).toBeLessThanOrEqual(2_000)
  // Counters exclude the row groups of all other hours.
  expect(ofRare.groups).toBe(3)
})
