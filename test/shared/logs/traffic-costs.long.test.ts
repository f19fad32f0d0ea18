import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { clock, dayMicros, hourMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { FlowFiles } from '#shared/logs/files/flow-files.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { type BufferedFlow, flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { readHistogram, readTopValues } from '#shared/logs/traffic-answers.ts'
import { closeRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantCounts } from '#test/support/table/plant-counts.ts'
import { plantFlows } from '#test/support/table/plant-flows.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const days = 30

it('reads the counters of 30,000,000 flows of 800 actors within the goals (R14)', { timeout: 300_000 }, async () => {
  const account = randomUUID()
  const begin = Math.floor(clock.now() / dayMicros) * dayMicros - days * dayMicros - 12 * hourMicros
  const actors = Array.from({ length: 800 }, () => randomUUID())
  await plantCounts(account, { dimension: 'actor', values: actors, begin, days })
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
