import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { dayMicros, hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { readArchive, readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import { SlotSource } from '#shared/logs/blocks/slot-source.ts'
import { idFrom, idUntil, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import { rowEntry } from '#shared/logs/files/entry-rows.ts'
import { mergeFlows } from '#shared/logs/flows/merge-flows.ts'
import { getLog, listLogs } from '#shared/logs/query-logs.ts'
import { readHistogram, readTopValues } from '#shared/logs/traffic-answers.ts'
import { openFlowIds } from '#test/support/logs/flow-account.ts'
import { minute, type newGrants, origin } from '#test/support/logs/flow-histories.ts'
import {
  countHours,
  type FlowModel,
  isWithin,
  type ModelFlow,
  rankValues,
  startOf,
} from '#test/support/logs/flow-model.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'

/** Retention of flows in the simulation, which ends for open flows before its last day. */
export const flowRetention = 30 * dayMicros
/** End of a window that contains all flows. */
const distantEnd = origin + 100 * dayMicros

type Grants = Awaited<ReturnType<typeof newGrants>>

/** Last hour in which an open flow can be closed: the first hour of the day after its retention ends (R3.2). */
const lastHourOf = ({ at }: ModelFlow): number => Math.ceil((at + flowRetention - hourMicros) / dayMicros) * dayMicros

const isClosedInTime = (flow: ModelFlow): boolean =>
  flow.closedAt !== null && flow.closedAt < lastHourOf(flow) + hourMicros

/** Returns the hour whose files contain the flow. */
const hourOf = (flow: ModelFlow): number =>
  isClosedInTime(flow) ? hourStart(flow.closedAt as number) : lastHourOf(flow)

/** Builds the entry of a flow from its reports and its grant, with counters as texts. */
function expectedEntry(flow: ModelFlow, grants: Grants) {
  const { claims, report, at } = flow
  const closing = isClosedInTime(flow) ? flow.closing : null
  const { closing: _closing, domain, flow_start, ...own } = report
  const grant = grants.find(({ attribution }) => attribution.policy_authorization_id === claims.policy_authorization_id)
  const outers = closing?.outers.map((outer) => ({ ...outer, path_activated_at: timestamp(outer.path_activated_at) }))
  const counter = (name: 'rx_bytes' | 'tx_bytes' | 'rx_packets' | 'tx_packets') =>
    closing ? String(closing[name]) : null
  return {
    type: 'flow',
    log_id: flow.id,
    timestamp: timestamp(at),
    role: claims.role,
    ...own,
    flow_start: timestamp(flow_start),
    inner_domain: domain,
    flow_end: closing && timestamp(closing.flow_end),
    last_packet: closing && timestamp(closing.last_packet),
    outers: outers ?? null,
    rx_packets: counter('rx_packets'),
    tx_packets: counter('tx_packets'),
    rx_bytes: counter('rx_bytes'),
    tx_bytes: counter('tx_bytes'),
    ...grant?.attribution,
  }
}

const withTextCounters = (entry: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      /^[rt]x_/.test(name) && value !== null ? String(value) : value,
    ]),
  )

/** Compares entries in order, and prints only the first difference, because a message with thousands of entries takes long. */
function expectEntries(read: object[], expected: object[]): void {
  const entries = read.map(withTextCounters)
  const different = expected.findIndex((entry, i) => !isDeepStrictEqual(entries[i], entry))
  expect(entries[different]).toEqual(expected[different])
  expect(entries).toHaveLength(expected.length)
}

/** Lists all flows that start from the origin on, the newest first. */
async function listFlows(account: AccountRow): Promise<object[]> {
  const found: object[] = []
  let cursor: string | null = null
  do {
    const query = { type: 'flow', limit: '1000', begin: timestamp(origin), end: timestamp(distantEnd) }
    const { data, metadata } = await listLogs(
      account,
      new URLSearchParams(cursor ? { ...query, page_cursor: cursor } : query),
    )
    found.push(...data)
    cursor = metadata.next_page
  } while (cursor)
  return found
}

/** Returns the ids of all flows in blocks of the hours from `watermark` on. */
async function blockIds(account: string, watermark: number): Promise<string[]> {
  const { slots } = await readArchive(account)
  const walk = { range: { first: idFrom('flow', 0), last: idUntil('flow', lastLogMicros) }, ascending: false }
  const sources = slots.filter((slot) => slot >= watermark).map((slot) => new SlotSource(account, slot, walk))
  const ids: string[] = []
  for await (const { sk } of mergeFlows(sources)) ids.push(sk)
  return ids.sort()
}

const isVisible = ({ at }: ModelFlow, now: number): boolean => at > now - flowRetention

/** Finds a visible flow in a file. */
export async function findFiled({ account, model, now }: Comparison): Promise<string | undefined> {
  const { watermark = 0 } = (await readArchiveState(account.id)) ?? {}
  return model.flows.find((flow) => isVisible(flow, now) && hourOf(flow) < watermark)?.id
}

/** Random flows and searches of a comparison. */
export const draws = fc.record({
  flows: fc.array(fc.nat(), { minLength: 15, maxLength: 15 }),
  searches: fc.array(
    fc.record({
      by: fc.option(fc.constantFrom('actor', 'client', 'gateway', 'resource', 'policy', 'port'), { freq: 4 }),
      role: fc.option(fc.constantFrom('initiator', 'responder'), { freq: 2 }),
      days: fc.integer({ min: 1, max: 20 }),
      order: fc.constantFrom('flows', 'bytes'),
    }),
    { minLength: 6, maxLength: 6 },
  ),
})
type Draws = typeof draws extends fc.Arbitrary<infer D> ? D : never

type Comparison = { account: AccountRow; grants: Grants; model: FlowModel; now: number }

/** Compares the files, the open set and the blocks with the model. Returns the number of flows whose retention ended while they were open. */
async function compareStorage({ account, grants, model, now }: Comparison): Promise<number> {
  const watermark = (await readArchiveState(account.id))?.watermark ?? 0
  expect(watermark).toBe(hourStart(now - 15 * minute))
  const flows = model.flows.sort((a, b) => (a.id < b.id ? -1 : 1))
  const filed = flows.filter((flow) => hourOf(flow) < watermark)
  const rows = (await readArchiveOf(account.id)).rows.flow.sort((a, b) => (a.id < b.id ? -1 : 1))
  expectEntries(
    rows.map(({ row, hour }) => ({ ...rowEntry('flow', row), hour, stored_at: row.stored_at })),
    filed.map((flow) => ({
      ...expectedEntry(flow, grants),
      hour: hourOf(flow),
      stored_at: isClosedInTime(flow) ? flow.closedAt : flow.at + flowRetention,
    })),
  )
  const open = flows.filter((flow) => flow.storedAt < watermark && hourOf(flow) >= watermark)
  expect(await openFlowIds(account.id)).toEqual(open.map(({ id }) => id))
  const recent = flows.filter(({ lastStoredAt }) => lastStoredAt >= watermark)
  expect(await blockIds(account.id, watermark)).toEqual(recent.map(({ id }) => id))
  return filed.filter((flow) => !isClosedInTime(flow)).length
}

async function compareEntries({ account, grants, model, now }: Comparison, { flows }: Draws): Promise<void> {
  const listed = model.flows
    .filter((flow) => isVisible(flow, now) && isWithin(flow, origin, distantEnd))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
  expectEntries(
    await listFlows(account),
    listed.map((flow) => expectedEntry(flow, grants)),
  )
  for (const seed of flows) {
    const flow = model.flows[seed % model.flows.length] as ModelFlow
    const read = getLog(account.id, flow.id)
    if (isVisible(flow, now)) expectEntries([(await read).data], [expectedEntry(flow, grants)])
    else await expect(read).rejects.toMatchObject({ code: 'not_found' })
  }
}

async function compareCounters({ account, model, now }: Comparison, { searches }: Draws): Promise<void> {
  for (const { by, role, days, order } of searches) {
    const end = hourStart(now) + hourMicros
    const begin = end - days * dayMicros
    const counted = model.flows.filter(
      (flow) => startOf(flow) >= begin && startOf(flow) < end && (role === null || flow.claims.role === role),
    )
    const window = { begin: timestamp(begin), end: timestamp(end) }
    const query = new URLSearchParams({ ...window, ...(role && { role }), ...(by && { by }) })
    const { data: histogram } = await readHistogram(account.id, query)
    expect(histogram).toMatchObject({ counted_from: null, approximate: false })
    expect(histogram.hours).toEqual(countHours(counted, begin, days * 24, by))
    const top = new URLSearchParams([...query, ['order', order], ['limit', '2']])
    const { data: ranked } = await readTopValues(account.id, top)
    expect(ranked.values).toEqual(rankValues(counted, by ?? 'actor', order).slice(0, 2))
  }
}

/**
 * Compares `GET /logs`, blocks, archive and counters with the model, entry by entry, after a flush. Returns the number of archived
 * flows whose retention ended while they were open.
 */
export async function compareFlows(comparison: Comparison, drawn: Draws): Promise<number> {
  const ended = await compareStorage(comparison)
  await compareEntries(comparison, drawn)
  await compareCounters(comparison, drawn)
  return ended
}
