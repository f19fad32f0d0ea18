import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { idFrom } from '#shared/logs/entries/log-id.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const account = { id: 'acc', inserted_at: '2020-01-01T00:00:00.000000Z' } as AccountRow
let ids: string[] = []
let requests: MockInstance

/** Simulates a query over more entries than a test can store. */
function answer({ ExpressionAttributeValues: values, ScanIndexForward, ExclusiveStartKey, Limit }: QueryCommandInput) {
  const [pk, first, last] = [':pk', ':first', ':last'].map((name) => String(values?.[name]))
  const ordered = ScanIndexForward ? ids : ids.toReversed()
  const inside = ordered.filter((id) => pk?.includes('log.session') && id >= (first ?? '') && id <= (last ?? ''))
  const from = ExclusiveStartKey ? inside.indexOf(String(ExclusiveStartKey.sk)) + 1 : 0
  const page = inside.slice(from, from + (Limit ?? 1_000))
  const more = from + page.length < inside.length
  return { Items: page.map((sk) => ({ sk, entry: '{}' })), ...(more && { LastEvaluatedKey: { pk, sk: page.at(-1) } }) }
}

beforeEach(() => {
  requests = interceptTable(async ({ input }) => answer(input as QueryCommandInput))
})
afterEach(() => {
  vi.restoreAllMocks()
})

it.each([
  [0, undefined, 0],
  [1, undefined, 1],
  [1_050, undefined, 1],
  [999, 1_000, 999],
  [1_000, 1_000, 1_000],
  [1_050, 1_000, 1_000],
  [9_999, 10_000, 9_999],
  [10_000, 10_000, 10_000],
  [10_500, 10_000, 10_000],
  [1_050, 1_049, 1_049],
  [1_050, 1, 1],
  [1_050, 0, 0],
])('counts %i entries up to %s as %i (L2.5)', async (stored, limit, total) => {
  // Places all entries on one day, so that each stream has one partition.
  const noon = Math.floor(clock.now() / 86_400_000_000) * 86_400_000_000 - 43_200_000_000
  ids = Array.from({ length: stored }, (_, i) => idFrom('session', noon + i))
  const query = { type: 'session', begin: timestamp(noon), end: timestamp(noon + stored), limit: '1' }
  const counted: Record<string, string> = limit === undefined ? {} : { total_limit: String(limit) }
  const { metadata } = await listLogs(account, new URLSearchParams({ ...query, ...counted }))
  expect([metadata.total, metadata.count]).toEqual([total, total])
  // Allows one request for the page, which has a single entry. A higher total takes one request per 1,000 counted entries, and one that
  // finds the end.
  const counting = total > 1 ? Math.ceil(total / 1_000) + 1 : 0
  expect(requests.mock.calls.length).toBeLessThanOrEqual(1 + counting)
})

it('queries no partition of days that cannot have entries', async () => {
  ids = []
  const { metadata } = await listLogs(
    account,
    new URLSearchParams('begin=0001-01-01T00:00:00Z&end=9999-12-31T23:59:59Z'),
  )
  expect(metadata).toEqual({ limit: 50, next_page: null, prev_page: null, total: 0, count: 0 })
  // Allows three queries per retention day, one per stream, and a query for the days with flows.
  expect(requests.mock.calls.length).toBeLessThanOrEqual(3 * 93 + 1)
})
