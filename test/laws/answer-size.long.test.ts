import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { timestamp } from '#shared/core/clock.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { compareIds, logStreams, streamCodes } from '#shared/logs/entries/log-id.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { fillAccess } from '#test/support/largest/fill-access.ts'
import { fillList, plans } from '#test/support/largest/fill-lists.ts'
import { fillLogs } from '#test/support/largest/fill-logs.ts'
import { type ListRequest, walkPages } from '#test/support/largest/walk-pages.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

const lists = (await loadEntries()).filter(({ operation: { method, filters } }) => method === 'GET' && filters)
const handlers = new Map(lists.map(({ name, handler }) => [name, handler]))
const accessLists = ['GET /access/resources/{id}/actors', 'GET /access/actors/{id}/resources']

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

/** Expects that the pages return every planted row once and in order. Other rows of the account may appear in between. */
async function checkWalk(request: ListRequest, planted: string[]) {
  const walked = await walkPages(account, request)
  const knownIds = new Set(planted)
  expect(new Set(walked.ids).size).toBe(walked.ids.length)
  expect(walked.ids.filter((id) => knownIds.has(id))).toEqual(planted)
  expect(walked.pages).toBeGreaterThan(1)
  return walked
}

it('can fill every list of the registry', () => {
  expect([...Object.keys(plans), ...accessLists].toSorted()).toEqual([...handlers.keys()].toSorted())
})

it.each(Object.keys(plans))('%s returns its largest rows in pages within the response size', async (name) => {
  const { params, queries = [{}], limit = 10, ids } = await fillList(name, account)
  for (const query of queries) {
    const request = { handler: handlers.get(name) as Handler, params, query: { limit: String(limit), ...query } }
    const { totals, ids: seen } = await checkWalk(request, ids)
    expect(totals).toEqual([seen.length])
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
    const limit = planted.length > 10 ? '100' : '6'
    const { totals, ids } = await checkWalk({ handler: listLogs, query: { limit, ...window, ...query } }, planted)
    expect(totals).toEqual([ids.length])
  }

  it.each(logStreams)('of type %s returns its largest entries', (type) => checkLogs({ type }, [type]))

  it('returns the largest entries of all streams', () => checkLogs({}, logStreams))

  it('returns the largest entries of an actor', () => checkLogs({ actor_id: logs.actor_id }, logStreams))

  it('returns the largest entries of an email', () =>
    checkLogs({ actor_email: logs.actor_email }, ['change', 'session', 'flow']))
})
