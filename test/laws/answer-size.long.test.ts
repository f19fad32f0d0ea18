import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { timestamp } from '#shared/core/clock.ts'
import { maxResponseBytes } from '#shared/core/json/response-size.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { compareIds, logStreams, streamCodes } from '#shared/logs/entries/log-id.ts'
import { maxLimit } from '#shared/values/page.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { fillAccess } from '#test/support/largest/fill-access.ts'
import { type FilledList, fillList, plans } from '#test/support/largest/fill-lists.ts'
import { fillLogs } from '#test/support/largest/fill-logs.ts'
import { type ListRequest, walkPages } from '#test/support/largest/walk-pages.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

const lists = (await loadEntries()).filter(({ operation: { method, filters } }) => method === 'GET' && filters)
const handlers = new Map(lists.map(({ name, handler }) => [name, handler]))
const accessLists = ['GET /access/resources/{id}/actors', 'GET /access/actors/{id}/resources']

/** Lists whose rows have few short fields, so that their largest page is far below the response size. */
const smallRowLists = ['GET /access/refusals', 'GET /authorizations']

const newLargeAccount = () => newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })

let account: Account
beforeAll(async () => {
  account = await newLargeAccount()
})

/** Expects that the pages return every planted row once and in order. Other rows of the account may appear in between. */
async function checkWalk(request: ListRequest, planted: string[], owner = account) {
  const walked = await walkPages(owner, request)
  const knownIds = new Set(planted)
  expect(new Set(walked.ids).size).toBe(walked.ids.length)
  expect(walked.ids.filter((id) => knownIds.has(id))).toEqual(planted)
  expect(walked.pages).toBeGreaterThan(1)
  return walked
}

it('can fill every list of the registry', () => {
  expect([...Object.keys(plans), ...accessLists, ...smallRowLists].toSorted()).toEqual([...handlers.keys()].toSorted())
})

it.each(Object.keys(plans))('%s returns its largest rows in pages within the response size', async (name) => {
  const walk = async (
    { params, queries = [{}], scans = [], limit = 10, hasTotal = true, ids }: FilledList,
    owner = account,
  ) => {
    const sizes: number[] = []
    for (const query of [...queries, ...scans]) {
      const request = { handler: handlers.get(name) as Handler, params, query: { limit: String(limit), ...query } }
      const { totals, ids: seen, bytesPerRow } = await checkWalk(request, ids, owner)
      expect(totals).toEqual([scans.includes(query) ? null : hasTotal ? seen.length : undefined])
      sizes.push(bytesPerRow)
    }
    return Math.max(...sizes)
  }
  const filled = await fillList(name, account)
  const bytesPerRow = await walk(filled)
  // Fills the list with more than one response if a page of the maximum limit does not fit.
  if (filled.limit === undefined && maxLimit * bytesPerRow > maxResponseBytes) {
    const count = Math.ceil((1.3 * maxResponseBytes) / bytesPerRow)
    const other = await newLargeAccount()
    await walk({ ...(await fillList(name, other, count)), limit: maxLimit }, other)
  }
})

describe('access lists', () => {
  let filled: Awaited<ReturnType<typeof fillAccess>>
  beforeAll(async () => {
    filled = await fillAccess(account)
  })

  it.each(accessLists)('%s returns rows with any number of large policies', async (name) => {
    const { actorIds, resourceIds } = filled
    const [id, planted] = name.endsWith('actors') ? [resourceIds[0], actorIds] : [actorIds[0], resourceIds]
    const { rows } = await checkWalk({ handler: handlers.get(name) as Handler, params: { id: id as string } }, planted)
    for (const row of rows) {
      expect(row.truncated).toEqual(['policies'])
      expect(row.policies.length).toBeGreaterThan(0)
      expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThanOrEqual(1_000_000)
    }
  })
})

describe('GET /logs', () => {
  let logs: Awaited<ReturnType<typeof fillLogs>>
  beforeAll(async () => {
    logs = await fillLogs(account)
  })

  const checkLogs = async (query: Record<string, string>, streams: readonly (keyof typeof streamCodes)[]) => {
    const expected = logs.ids.filter((id) => streams.some((stream) => id[0] === streamCodes[stream]))
    const window = { begin: timestamp(logs.begin), end: timestamp(logs.end) }
    const planted = expected.toSorted(compareIds).reverse()
    // Uses large pages for small entries, such as session and API request logs.
    const limit = planted.length > 10 ? String(maxLimit) : '6'
    const { totals, ids } = await checkWalk(
      { handler: listLogs, query: { limit, total_limit: '1000', ...window, ...query } },
      planted,
    )
    expect(totals).toEqual([ids.length])
  }

  it.each(logStreams)('of type %s returns its largest entries', (type) => checkLogs({ type }, [type]))

  it('returns the largest entries of all streams', () => checkLogs({}, logStreams))

  it('returns the largest entries of an actor', () => checkLogs({ actor_id: logs.actor_id }, logStreams))

  it('returns the largest entries of an email', () =>
    checkLogs({ actor_email: logs.actor_email }, ['change', 'session', 'flow']))
})
