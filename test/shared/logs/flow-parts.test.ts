import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, dayMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { flowShard } from '#shared/logs/entries/log-keys.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { closeRecord, flowRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { readPages } from '#test/support/logs/log-pages.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'

const days = 40

/** Ids of two actors whose flows are in the same partitions. */
function sameShard(): [string, string] {
  const first = randomUUID()
  let second = randomUUID()
  while (flowShard(second) !== flowShard(first)) second = randomUUID()
  return [first, second]
}

function reportAt(start: number): FlowReport {
  const record = closeRecord({ flow_start: timestamp(start), flow_end: timestamp(start + 1_000_000) })
  return (checkFlowReport(record) as { report: FlowReport }).report
}

async function flowsOf(daysOfRare: number[]) {
  const account = { id: randomUUID(), inserted_at: timestamp(0) } as AccountRow
  const [rare, busy] = sameShard()
  const now = clock.now()
  for (const [actor, on] of [
    [busy, Array.from({ length: days }, (_, day) => day)],
    [rare, daysOfRare],
  ] as const) {
    const grant = await newFlowGrant(account.id, { initiator_actor_id: actor })
    const reports = on.map((day) => {
      return reportAt(now - (day + 1) * dayMicros)
    })
    await storeFlowLogs({ Records: [flowRecord(grant.claims(), now, ...reports)] })
  }
  return { account, query: { type: 'flow', actor_id: rare, begin: timestamp(now - (days + 1) * dayMicros) } }
}

async function costOf(daysOfRare: number[]): Promise<Consumed> {
  const { account, query } = await flowsOf(daysOfRare)
  return measure(async () => {
    const { data, metadata } = await listLogs(account, new URLSearchParams(query))
    expect([data.length, metadata.total]).toEqual([daysOfRare.length, daysOfRare.length])
  })
}

it('queries no partition for days on which an actor began no flow', async () => {
  const [together, apart] = [await costOf([10, 11]), await costOf([3, 37])]
  expect(apart.requests).toBe(together.requests)
  expect(apart.requests).toBeLessThan(days)
})

it.each(['1', '3', '7'])(
  'finds flows of an actor beyond the slices read in advance, with pages of %s',
  async (limit) => {
    const { account, query } = await flowsOf([0, 1, 2, 5, 6, 13, 14, 15, 16, 17, 30, 39])
    const { forward, backward } = await readPages(account, { ...query, limit })
    const ids = forward.flatMap((page) => page.ids)
    expect(ids).toHaveLength(12)
    expect(ids).toEqual(ids.toSorted().reverse())
    expect(backward.flatMap((page) => page.ids)).toEqual(forward.slice(0, -1).flatMap((page) => page.ids))
  },
)

it.each([
  ['an actor', 0],
  ['more actors with an email than a filter can contain', 51],
] as const)('reads past many flows of other actors in few requests for %s', async (_title, namesakes) => {
  const account = { id: randomUUID(), inserted_at: timestamp(0) } as AccountRow
  const [rare, busy] = sameShard()
  const now = clock.now()
  const start = now - dayMicros
  for (const [actor, email, count] of [
    [rare, 'rare@example.com', 1],
    [busy, 'busy@example.com', 1_000],
  ] as const) {
    const grant = await newFlowGrant(account.id, { initiator_actor_id: actor, initiator_actor_email: email })
    const reports = Array.from({ length: count }, (_, i) => reportAt(start + i * 1_000))
    await storeFlowLogs({ Records: [flowRecord(grant.claims(), now, ...reports)] })
  }
  for (let i = 0; i < namesakes; i++) await newFlowGrant(account.id, { initiator_actor_email: 'rare@example.com' })
  const filter: Record<string, string> = namesakes > 0 ? { actor_email: 'rare@example.com' } : { actor_id: rare }
  const { requests } = await measure(async () => {
    const query = { type: 'flow', ...filter, limit: '1', begin: timestamp(start - dayMicros) }
    expect((await listLogs(account, new URLSearchParams(query))).data).toHaveLength(1)
  })
  expect(requests).toBeLessThan(30)
})
