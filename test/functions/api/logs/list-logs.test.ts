import { randomUUID } from 'node:crypto'
import { BatchWriteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler } from '#functions/api/logs/list-logs.ts'
import { handler as setMembers } from '#functions/api/memberships/replace-memberships.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { anonymousSubject } from '#shared/core/subject.ts'
import { type LogStream, logId } from '#shared/logs/entries/log-id.ts'
import { pointerPartition } from '#shared/logs/entries/log-keys.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { windowsOverlap } from '#shared/logs/match-entries.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { actorsApi, groupsApi } from '#test/support/accounts/collections.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'

// biome-ignore lint/suspicious/noExplicitAny: entries of every shape
type Entry = any
type Account = Awaited<ReturnType<typeof newAccount>>
type Query = Record<string, string> | string
const second = 1_000_000
const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: null }
const actor = { id: randomUUID(), email: 'Grace@example.com' }

let account: Account
/** Start time of the test entries, in microseconds. Each entry is a whole number of seconds later. */
let start: number

const subject = {
  ...anonymousSubject(origin),
  actor_id: actor.id,
  actor_name: 'Grace',
  actor_type: 'account_user',
  actor_email: actor.email,
}
const fieldsOf: Record<Exclude<LogStream, 'flow'>, Record<string, unknown>> = {
  change: { object: 'sites', operation: 'insert', before: null, after: { id: 'x' }, subject },
  session: { context: 'client', subject },
  api_request: {
    actor_id: actor.id,
    api_token_id: null,
    method: 'GET',
    path: '/sites',
    content_length: null,
    request_id: 'r',
    ...origin,
  },
}

async function put(
  of: Account,
  entries: [Exclude<LogStream, 'flow'>, number, Record<string, unknown>?][],
): Promise<string[]> {
  const items = entries.flatMap(([stream, micros, fields], i) =>
    logItems(of.id, stream, logId(stream, micros, i.toString(16).padStart(10, '0')), micros, {
      ...fieldsOf[stream],
      ...fields,
    }),
  )
  for (let at = 0; at < items.length; at += 25) {
    const requests = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }))
    await table().send(new BatchWriteCommand({ RequestItems: { [tableName()]: requests } }))
  }
  return items.filter(({ kind }) => kind === 'log').map(({ sk }) => sk)
}

const list = (query: Query, of = account) => of.call(handler, { query, path: '/logs' })
const idsOf = async (query: Query): Promise<string[]> =>
  (await list(query)).body.data.map((entry: Entry) => entry.log_id)
const window = (from: number, to: number) => ({
  begin: timestamp(start + from * second),
  end: timestamp(start + to * second),
})

beforeAll(async () => {
  account = await newAccount()
  // Places the test entries an hour after the requests of these tests, because the requests also create entries.
  start = clock.now() + 3_600 * second
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('parameters (L2.1, L2.2)', () => {
  const time = 'must be an RFC 3339 timestamp.'
  it.each<[string, [string, string]]>([
    ['limit=x&type=x', ['invalid_limit', 'limit must be an integer.']],
    ['limit=1&limit=2&type=x', ['invalid_limit', 'limit must be an integer.']],
    ['type=flows&begin=x', ['invalid_log_query', 'type must be one of change, session, flow, api_request.']],
    ['type=', ['invalid_log_query', 'type must be one of change, session, flow, api_request.']],
    ['type=flow&type=change&begin=x', ['invalid_log_query', 'type must be a single string.']],
    ['begin=x&end=x', ['invalid_log_query', `begin ${time}`]],
    ['begin=2026-01-01T00:00:00&end=x', ['invalid_log_query', `begin ${time}`]],
    ['begin[]=2026-01-01T00:00:00Z', ['invalid_log_query', 'begin must be a single string.']],
    ['end=x&actor_id=x', ['invalid_log_query', `end ${time}`]],
    [
      'begin=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z&actor_id=x',
      ['invalid_log_query', 'begin must not be after end.'],
    ],
    ['begin=2100-01-01T00:00:00Z', ['invalid_log_query', 'begin must not be after end.']],
    ['end=2020-01-01T00:00:00Z', ['invalid_log_query', 'begin must not be after end.']],
    ['actor_id=x&actor_email=a&actor_email=b', ['invalid_log_query', 'actor_id must be a UUID.']],
    ['actor_email=a&actor_email=b', ['invalid_log_query', 'actor_email must be a single string.']],
    [
      'actor_email=a&type=api_request&page_cursor=',
      ['invalid_log_query', 'actor_email cannot be combined with type api_request.'],
    ],
    ['object_id=x&total_limit=x', ['invalid_log_query', 'object_id must be a UUID.']],
    [`actor_id=x&object_id=x`, ['invalid_log_query', 'actor_id must be a UUID.']],
    [`object_id=${actor.id}&object_id=${actor.id}`, ['invalid_log_query', 'object_id must be a single string.']],
    [`object_id[]=${actor.id}`, ['invalid_log_query', 'object_id must be a single string.']],
    ...['session', 'flow', 'api_request'].map((type): [string, [string, string]] => [
      `type=${type}&object_id=${actor.id}&total_limit=x`,
      ['invalid_log_query', `object_id cannot be combined with type ${type}.`],
    ]),
    ...['x', '-1', '+1', '1.0', '1e3', '0x10', '10001', '9'.repeat(400), '%00'].map(
      (limit): [string, [string, string]] => [
        `total_limit=${limit}&page_cursor=`,
        ['invalid_log_query', 'total_limit must be an integer from 0 to 10000.'],
      ],
    ),
    ['total_limit=1&total_limit=1', ['invalid_log_query', 'total_limit must be a single string.']],
    ['object=x&total_limit=x', ['invalid_log_query', expect.stringMatching(/^object must be one of accounts, /)]],
    ['object=groups&total_limit=x', ['invalid_log_query', 'object can only be used with type change.']],
    [
      'type=change&operation=%00&page_cursor=',
      ['invalid_log_query', 'operation must be one of insert, update, delete.'],
    ],
    ['type=change&run_id=x&total_limit=x', ['invalid_log_query', 'run_id must be a UUID.']],
    ['page_cursor=', ['invalid_page_cursor', 'page_cursor is not valid for this list.']],
    ['page_cursor=abc', ['invalid_page_cursor', 'page_cursor is not valid for this list.']],
    ['page_cursor=a&page_cursor=b', ['invalid_page_cursor', 'page_cursor is not valid for this list.']],
  ])('%s', async (query, [code, detail]) => {
    const { status, body } = await list(query)
    expect([status, body.code, body.detail]).toEqual([400, code, detail])
  })

  it.each([
    'begin=&end=&actor_id=&actor_email=&object_id=&total_limit=',
    `type=change&object_id=${actor.id}&actor_id=${actor.id}&actor_email=x`,
    'total_limit=0',
    'total_limit=10000',
    'begin=2026-01-01T00:00:00Z&end=2026-01-01T00:00:00Z',
    'begin=2026-01-01T02:00:00%2B02:00&end=2099-01-01T00:00:00-01:00',
    'begin=2026-01-01T02:00:00+02:00',
    'end=9999-12-31T23:59:59Z&begin=0001-01-01T00:00:00Z',
    'unknown=1&unknown=2',
    'limit=1000',
  ])('accepts %s', async (query) => expect((await list(query)).status).toBe(200))
})

describe('order and pages (L2.3, A7.1)', () => {
  let ids: string[]
  beforeAll(async () => {
    const streams = ['change', 'session', 'api_request'] as const
    // Gives several streams the same timestamps, so that their mutual order matters.
    ids = await put(
      account,
      Array.from({ length: 60 }, (_, i) => [streams[i % 3] as 'change', start + Math.floor(i / 6) * second]),
    )
    ids.sort((a, b) => (a.slice(1, 14) === b.slice(1, 14) ? (a < b ? 1 : -1) : a.slice(1) < b.slice(1) ? 1 : -1))
  })

  it('merges the streams, newest first', async () => {
    const { body } = await list({ ...window(0, 9), limit: '100' })
    expect(body.data.map((entry: Entry) => entry.log_id)).toEqual(ids)
    expect(body.metadata).toEqual({ limit: 100, next_page: null, prev_page: null, total: 60, count: 60 })
  })

  it('pages forward and back through the same entries', async () => {
    const pages: string[][] = []
    let query: Record<string, string> = { ...window(0, 9), limit: '7' }
    let answer = await list(query)
    for (;;) {
      pages.push(answer.body.data.map((entry: Entry) => entry.log_id))
      expect(answer.body.metadata.total).toBe(7)
      if (!answer.body.metadata.next_page) break
      query = { ...query, page_cursor: answer.body.metadata.next_page }
      answer = await list(query)
    }
    expect(pages.flat()).toEqual(ids)
    for (let at = pages.length - 2; at >= 0; at--) {
      answer = await list({ ...query, page_cursor: answer.body.metadata.prev_page })
      expect(answer.body.data.map((entry: Entry) => entry.log_id)).toEqual(pages[at])
    }
    expect(answer.body.metadata.prev_page).toBeNull()
    expect(answer.body.metadata.next_page).not.toBeNull()
  })

  it('accepts a cursor only with the same filters and account', async () => {
    const query = { ...window(0, 9), limit: '5' }
    const page_cursor = (await list(query)).body.metadata.next_page
    expect((await list({ ...query, limit: '9', page_cursor })).body.data).toHaveLength(9)
    const others = [{ ...query, type: 'change', page_cursor }, { ...window(0, 8), page_cursor }, { page_cursor }]
    for (const other of others) expect((await list(other)).body.code).toBe('invalid_page_cursor')
    expect((await list({ ...query, page_cursor }, await newAccount())).body.code).toBe('invalid_page_cursor')
    expect((await list({ ...query, page_cursor: page_cursor.slice(0, -1) })).body.code).toBe('invalid_page_cursor')
  })

  it('carries the default window in its cursors', async () => {
    const first = await list({ type: 'api_request', limit: '1' })
    const again = await list({ type: 'api_request', limit: '1' })
    expect(again.body.data[0].log_id).not.toBe(first.body.data[0].log_id)
    const { body } = await list({ type: 'api_request', limit: '1', page_cursor: first.body.metadata.next_page })
    expect(body.metadata.total).toBe(first.body.metadata.total)
    expect(body.data[0].log_id < first.body.data[0].log_id).toBe(true)
  })

  it('includes both ends of the window', async () => {
    expect(await idsOf({ ...window(3, 3), type: 'change' })).toHaveLength(2)
    expect(await idsOf({ begin: timestamp(start + 3 * second + 1), end: timestamp(start + 4 * second - 1) })).toEqual(
      [],
    )
  })
})

it('lists the request itself', async () => {
  const { body } = await list({ type: 'api_request', limit: '1' })
  expect(body.data[0]).toMatchObject({
    type: 'api_request',
    method: 'GET',
    path: '/logs',
    actor_id: account.apiClient.id,
  })
})

describe('actor filters (L2.6)', () => {
  it('compare the snapshot of the entry', async () => {
    const ownAccount = await newAccount()
    const grant = await newFlowGrant(ownAccount.id, {
      initiator_actor_id: actor.id,
      initiator_actor_email: actor.email,
    })
    const other = await newFlowGrant(ownAccount.id)
    const at = clock.now()
    for (const { claims } of [grant, other]) {
      const reports = [(checkFlowReport(openRecord({ flow_start: timestamp(at) })) as { report: FlowReport }).report]
      await storeFlowLogs({ Records: [flowRecord(claims(), at, ...reports)] })
    }
    await put(ownAccount, [
      ['change', at],
      ['change', at + 1, { subject: null }],
      ['session', at],
      ['api_request', at],
      ['session', at + 1, { subject: { ...subject, actor_id: randomUUID(), actor_email: 'grace@example.com' } }],
    ])
    const window = { begin: timestamp(at), end: timestamp(at + 5) }
    const types = async (query: Record<string, string>) => {
      const { body } = await list({ ...window, ...query }, ownAccount)
      expect(body.metadata.total).toBe(body.data.length)
      return body.data.map((entry: Entry) => entry.type).sort()
    }
    expect(await types({ actor_id: actor.id.toUpperCase() })).toEqual(['api_request', 'change', 'flow', 'session'])
    expect(await types({ actor_email: actor.email })).toEqual(['change', 'flow', 'session'])
    expect(await types({ actor_email: actor.email, actor_id: actor.id, type: 'flow' })).toEqual(['flow'])
    expect(await types({ actor_email: 'grace@example.com' })).toEqual(['flow', 'session'])
    expect(await types({ actor_id: randomUUID() })).toEqual([])
  })
})

describe('filters of changes (K11.G7)', () => {
  it('list the changes of a kind of object, an operation or a sync run, with the other filters', async () => {
    const ownAccount = await newAccount()
    const created = (await groupsApi.create(ownAccount, { name: 'Staff' })).body.data
    await groupsApi.update(ownAccount, created.id, { name: 'Crew' })
    await actorsApi.create(ownAccount, { name: 'Ada', type: 'service_account' })
    await groupsApi.remove(ownAccount, created.id)
    await writeChangeLogOf(ownAccount.id)
    const at = clock.now()
    const run_id = randomUUID()
    await put(ownAccount, [
      ['change', at, { object: 'actors', operation: 'update', after: { id: randomUUID() }, run_id }],
      ['change', at + 1, { object: 'actors', operation: 'update', after: { id: randomUUID() } }],
      ['session', at + 2],
    ])
    const changes = async (query: Record<string, string>, of = ownAccount) => {
      const { body } = await list({ type: 'change', end: timestamp(at + second), ...query }, of)
      expect(body.metadata).toEqual({
        limit: 50,
        next_page: null,
        prev_page: null,
        total: 0,
        count: 0,
        read_until: null,
      })
      return body.data.map((entry: Entry) => `${entry.operation} ${entry.object}`)
    }
    expect(await changes({ object: 'groups', actor_id: ownAccount.apiClient.id })).toEqual([
      'delete groups',
      'update groups',
      'insert groups',
    ])
    expect(await changes({ operation: 'delete' })).toEqual(['delete groups'])
    expect(await changes({ run_id: run_id.toUpperCase() })).toEqual(['update actors'])
    expect(await changes({ object: 'actors', operation: 'update', actor_email: actor.email })).toHaveLength(2)
    expect(await changes({ object_id: created.id, operation: 'update' })).toEqual(['update groups'])
    expect(await changes({ object: 'policies' })).toEqual([])
    expect(await changes({ run_id })).toHaveLength(1)
    expect(await changes({ run_id }, await newAccount())).toEqual([])
  })

  it('belong to the cursor, and ignore the total limit', async () => {
    const query = { type: 'change', object: 'groups', limit: '1', total_limit: '100' }
    const ownAccount = await newAccount()
    for (const name of ['Staff', 'Crew']) await groupsApi.create(ownAccount, { name })
    await writeChangeLogOf(ownAccount.id)
    const first = (await list(query, ownAccount)).body
    expect(first.metadata).toMatchObject({ total: 0, count: 0, read_until: null, prev_page: null })
    const page_cursor = first.metadata.next_page
    const second = (await list({ ...query, page_cursor }, ownAccount)).body
    expect(second.data[0].after.name).toBe('Staff')
    const others: Record<string, string>[] = [{ object: 'actors' }, { operation: 'insert' }, { run_id: randomUUID() }]
    for (const other of [...others, { object: '' }])
      expect((await list({ ...query, ...other, page_cursor }, ownAccount)).body.code).toBe('invalid_page_cursor')
  })
})

describe('the history of an object (L2.8)', () => {
  const changesOf = (rows: string[], at: number): [Exclude<LogStream, 'flow'>, number, Record<string, unknown>][] =>
    rows.map((id, i) => ['change', at + i, { before: i === 0 ? null : { id }, after: { id } }])

  it('lists every change of it, newest first, even after its deletion, and no other entry', async () => {
    const ownAccount = await newAccount()
    const at = clock.now()
    const [one, other] = [randomUUID(), randomUUID()]
    const ids = await put(ownAccount, [
      ['change', at, { before: null, after: { id: one } }],
      ['change', at + 1, { before: null, after: { id: other, site_id: one } }],
      ['change', at + 2, { before: { id: one }, after: { id: one } }],
      ['session', at + 3, { subject: { ...subject, device_id: one, actor_id: one } }],
      ['api_request', at + 4, { actor_id: one }],
      ['change', at + 5, { operation: 'delete', before: { id: one }, after: null }],
      ['change', at + 6, { object: 'accounts', before: { name: 'without an id' }, after: { name: 'x' } }],
    ])
    const window = { begin: timestamp(at), end: timestamp(at + 9) }
    for (const query of [{}, { type: 'change' }] as Record<string, string>[]) {
      const { body } = await list({ ...window, ...query, object_id: one.toUpperCase() }, ownAccount)
      expect(body.data.map((entry: Entry) => entry.log_id)).toEqual([ids[5], ids[2], ids[0]])
      expect(body.metadata).toMatchObject({ total: 3, count: 3 })
    }
    expect((await list({ ...window, object_id: other }, ownAccount)).body.metadata.total).toBe(1)
    expect((await list({ ...window, object_id: randomUUID() }, ownAccount)).body.data).toEqual([])
    expect((await list({ ...window, object_id: one })).body.data).toEqual([])
    const inside = { begin: timestamp(at + 1), end: timestamp(at + 2), object_id: one }
    expect((await list(inside, ownAccount)).body.data.map((entry: Entry) => entry.log_id)).toEqual([ids[2]])
  })

  it("of a member lists its membership's changes, and of a group the group's own", async () => {
    const ownAccount = await newAccount()
    const group = (await groupsApi.create(ownAccount, { name: 'Staff' })).body.data
    const member = (await actorsApi.create(ownAccount, { name: 'Ada', type: 'service_account' })).body.data
    await ownAccount.call(setMembers, {
      params: { group_id: group.id },
      body: { memberships: [{ actor_id: member.id }] },
    })
    await writeChangeLogOf(ownAccount.id)
    const objects = async (object_id: string) =>
      (await list({ object_id }, ownAccount)).body.data.map(({ object }: Entry) => object)
    expect(await objects(group.id)).toEqual(['groups'])
    const [joined] = (await list({ type: 'change' }, ownAccount)).body.data
    expect(joined).toMatchObject({ object: 'memberships', after: { group_id: group.id, actor_id: member.id } })
    expect(await objects(joined.after.id)).toEqual(['memberships'])
    expect(await objects(ownAccount.id)).toContain('accounts')
  })

  it('can be narrowed to what an actor changed, by id, by email, or both', async () => {
    const ownAccount = await newAccount()
    const at = clock.now()
    const id = randomUUID()
    const by = (actor_id: string | null, actor_email: string | null) => ({
      after: { id },
      subject: { ...subject, actor_id, actor_email },
    })
    const large = { after: { id, text: 'x'.repeat(30_000) }, subject }
    await put(ownAccount, [
      ['change', at, by(actor.id, actor.email)],
      ['change', at + 1, by(actor.id, null)],
      ['change', at + 2, by(null, actor.email)],
      ['change', at + 3, by(randomUUID(), 'grace@example.com')],
      ['change', at + 4, { ...large }],
      ['change', at + 5, { after: { id }, subject: null }],
    ])
    const times = async (query: Record<string, string>) => {
      const { body } = await list({ begin: timestamp(at), end: timestamp(at + 9), object_id: id, ...query }, ownAccount)
      expect(body.metadata.total).toBe(body.data.length)
      return body.data.map((entry: Entry) => Number.parseInt(entry.log_id.slice(1, 14), 16) - at)
    }
    expect(await times({})).toEqual([5, 4, 3, 2, 1, 0])
    expect(await times({ actor_id: actor.id })).toEqual([4, 1, 0])
    expect(await times({ actor_email: actor.email })).toEqual([4, 2, 0])
    expect(await times({ actor_id: actor.id, actor_email: actor.email })).toEqual([4, 0])
  })

  it('omits entries with a forged index item', async () => {
    const ownAccount = await newAccount()
    const at = clock.now()
    const [one, other] = [randomUUID(), randomUUID()]
    const ids = await put(ownAccount, changesOf([one, other], at))
    const forged = { pk: pointerPartition(ownAccount.id, 'change', 'object', one), sk: ids[1], kind: 'log_pointer' }
    await table().send(new PutCommand({ TableName: tableName(), Item: forged }))
    const { data } = (await list({ begin: timestamp(at), end: timestamp(at + 9), object_id: one }, ownAccount)).body
    expect(data.map((entry: Entry) => entry.log_id)).toEqual([ids[0]])
  })

  it('has its own cursors', async () => {
    const ownAccount = await newAccount()
    const at = clock.now()
    const id = randomUUID()
    await put(ownAccount, changesOf([id, id, id], at))
    const query = { begin: timestamp(at), end: timestamp(at + 9), object_id: id, limit: '1' }
    const { next_page: page_cursor } = (await list(query, ownAccount)).body.metadata
    const { object_id: _, ...others } = query
    for (const other of [others, { ...query, object_id: randomUUID() }])
      expect((await list({ ...other, page_cursor }, ownAccount)).body.code).toBe('invalid_page_cursor')
    expect((await list({ ...query, page_cursor }, ownAccount)).body.data).toHaveLength(1)
  })
})

describe('the bound of counted entries (L2.5)', () => {
  it('is total_limit, and cursors keep the count of the first page', async () => {
    const ownAccount = await newAccount()
    const at = clock.now()
    await put(
      ownAccount,
      Array.from({ length: 6 }, (_, i): ['session' | 'change', number] => [i % 2 ? 'session' : 'change', at + i]),
    )
    const query = { begin: timestamp(at), end: timestamp(at + 5), limit: '2' }
    for (const [total_limit, total] of [
      ['', 2],
      ['7', 6],
      ['6', 6],
      ['5', 5],
      ['1', 1],
      ['0', 0],
    ] as const) {
      const first = (await list({ ...query, total_limit }, ownAccount)).body
      expect([first.data.length, first.metadata.total, first.metadata.count]).toEqual([2, total, total])
      const page_cursor = first.metadata.next_page
      // Expects that `total_limit` has no effect with a cursor, even if it is changed or omitted.
      for (const more of [{ total_limit }, { total_limit: '3' }, {}] as Record<string, string>[]) {
        const { data, metadata } = (await list({ ...query, ...more, page_cursor }, ownAccount)).body
        expect([data.length, metadata.total, metadata.count]).toEqual([2, total, total])
      }
    }
  })
})

describe('flows in a window (L2.4)', () => {
  it.each<[string, number, number | undefined, boolean]>([
    ['open, started before', 5, undefined, true],
    ['open, started at the end', 20, undefined, true],
    ['open, started after', 21, undefined, false],
    ['ended before', 5, 9, false],
    ['ended exactly at begin', 5, 10, false],
    ['ended just inside', 5, 11, true],
    ['around it', 5, 25, true],
    ['an instant at begin', 10, 10, true],
    ['ended before its start, which is inside', 15, 3, true],
    ['ended before its start, which is before', 5, 3, false],
  ])('%s', (_name, from, to, inside) => expect(windowsOverlap(from, to, { begin: 10, end: 20 })).toBe(inside))

  it('finds flows that began long before it, at any time of ingest', async () => {
    const ownAccount = await newAccount()
    const grant = await newFlowGrant(ownAccount.id)
    const reports = [
      openRecord({ inner_src_port: 1, flow_start: '1980-01-01T00:00:00Z' }),
      closeRecord({ inner_src_port: 2, flow_start: '2026-01-01T00:00:00Z', flow_end: '2026-11-10T00:00:00Z' }),
      closeRecord({ inner_src_port: 3, flow_start: '2026-01-01T00:00:00Z', flow_end: '2026-11-09T00:00:00Z' }),
      openRecord({ inner_src_port: 4, flow_start: '2112-01-01T00:00:00Z' }),
    ].map((record) => (checkFlowReport(record) as { report: FlowReport }).report)
    await storeFlowLogs({ Records: [flowRecord(grant.claims(), clock.now(), ...reports)] })
    const query = { type: 'flow', begin: '2026-11-09T12:00:00Z', end: '2026-11-09T13:00:00Z' }
    const ports = async (search: Record<string, string>) =>
      (await list(search, ownAccount)).body.data.map((entry: Entry) => entry.inner_src_port)
    expect(await ports(query)).toEqual([2, 1])
    expect(await ports({ type: 'flow' })).toEqual(expect.arrayContaining([1]))
    expect(await ports({ type: 'flow', end: '2112-01-01T00:00:00Z' })).toContain(4)
  })
})

describe('retention (L1)', () => {
  const day = 86_400 * second
  it.each(['change', 'session', 'api_request'] as const)(
    'starts at the timestamp of a %s, to the microsecond, for any window and row',
    async (type) => {
      const ownAccount = await newAccount()
      const at = clock.now()
      const [id] = (await put(ownAccount, [[type, at, { subject, actor_id: actor.id, after: { id: actor.id } }]])) as [
        string,
      ]
      const query = { type, begin: '2020-01-01T00:00:00Z', end: timestamp(at), actor_id: actor.id }
      vi.stubEnv('LOG_RETENTION_DAYS', '2')
      const now = vi.spyOn(clock, 'now')
      for (const [later, status, total] of [
        [2 * day - 1, 200, 1],
        [2 * day, 404, 0],
      ] as const) {
        now.mockReturnValue(at + later)
        if (type === 'change') {
          const { actor_id: _, ...others } = query
          expect((await list({ ...others, object_id: actor.id }, ownAccount)).body.metadata.total).toBe(total)
        }
        const { actor_id: _, ...unfiltered } = query
        expect((await list(query, ownAccount)).body.metadata.total).toBe(total)
        const listed = (await list({ ...unfiltered, limit: '100' }, ownAccount)).body.data
        expect(listed.filter((entry: Entry) => entry.log_id === id)).toHaveLength(total)
        expect((await ownAccount.call(getLog, { params: { log_id: id } })).status).toBe(status)
      }
    },
  )

  it('sets the TTL of the rows of every stream and of their index items', async () => {
    vi.stubEnv('LOG_RETENTION_DAYS', '2')
    vi.stubEnv('FLOW_RETENTION_DAYS', '3')
    const ownAccount = await newAccount()
    const at = clock.now()
    const seconds = Math.ceil(at / second)
    for (const stream of ['change', 'session', 'api_request'] as const) {
      const items = logItems(ownAccount.id, stream, logId(stream, at), at, fieldsOf[stream])
      expect(items.map(({ ttl }) => ttl)).toEqual(items.map(() => seconds + 2 * 86_400))
    }
  })

  it('starts at the ingest of a flow', async () => {
    const ownAccount = await newAccount()
    const grant = await newFlowGrant(ownAccount.id)
    const at = clock.now()
    const { report } = checkFlowReport(openRecord({ flow_start: '2020-01-01T00:00:00Z' })) as { report: FlowReport }
    await storeFlowLogs({ Records: [flowRecord(grant.claims(), at, report)] })
    const query = { type: 'flow', begin: '2019-01-01T00:00:00Z' }
    vi.stubEnv('FLOW_RETENTION_DAYS', '3')
    const now = vi.spyOn(clock, 'now')
    for (const [later, total] of [
      [3 * day - 1, 1],
      [3 * day, 0],
    ] as const) {
      now.mockReturnValue(at + later)
      expect((await list(query, ownAccount)).body.metadata.total).toBe(total)
    }
  })

  it('returns a previous cursor from a page whose entries have expired (A7.1)', async () => {
    vi.stubEnv('LOG_RETENTION_DAYS', '10')
    const ownAccount = await newAccount()
    const at = clock.now()
    const sessions = Array.from({ length: 4 }, (_, i): ['session', number] => ['session', at + i * day])
    const [, c, b, a] = await put(ownAccount, sessions)
    const now = vi.spyOn(clock, 'now')
    const query = { type: 'session', begin: '2020-01-01T00:00:00Z', end: timestamp(at + 9 * day), limit: '1' }
    const page = async (page_cursor?: string) => {
      const { data, metadata } = (await list({ ...query, ...(page_cursor && { page_cursor }) }, ownAccount)).body
      return { ids: data.map((entry: Entry) => entry.log_id), prev: metadata.prev_page, next: metadata.next_page }
    }
    now.mockReturnValue(at + 9 * day)
    const first = await page()
    const second = await page(first.next)
    const third = await page(second.next)
    expect([first, second, third].map(({ ids }) => ids)).toEqual([[a], [b], [c]])

    // Makes one more entry expire each day: the last entry, then the entry of the cursor, then a newer entry.
    for (const [later, left] of [
      [10 * day, c],
      [11 * day, b],
      [12 * day, a],
    ] as const) {
      now.mockReturnValue(at + later)
      const emptied = await page(third.next)
      expect([emptied.ids, emptied.next]).toEqual([[], null])
      const last = await page(emptied.prev)
      expect([last.ids, last.next]).toEqual([[left], null])
    }
    expect(await page(third.prev)).toMatchObject({ ids: [a], prev: null, next: null })
    now.mockReturnValue(at + 13 * day)
    expect(await page(third.next)).toEqual({ ids: [], prev: null, next: null })
  })

  it('returns a previous cursor to older flows when a newer start was ingested earlier and expired', async () => {
    vi.stubEnv('FLOW_RETENTION_DAYS', '10')
    const ownAccount = await newAccount()
    const grant = await newFlowGrant(ownAccount.id)
    const at = clock.now()
    const store = async (port: number, started: number, ingested: number) => {
      const record = openRecord({ inner_src_port: port, flow_start: timestamp(started) })
      const { report } = checkFlowReport(record) as { report: FlowReport }
      await storeFlowLogs({ Records: [flowRecord(grant.claims(), ingested, report)] })
    }
    await store(1, at + 2 * second, at)
    await store(2, at + second, at)
    await store(3, at, at + day)
    const now = vi.spyOn(clock, 'now').mockReturnValue(at + 2 * day)
    const query = { type: 'flow', begin: timestamp(at), end: timestamp(at + day), limit: '1' }
    const page = async (page_cursor?: string) => {
      const { data, metadata } = (await list({ ...query, ...(page_cursor && { page_cursor }) }, ownAccount)).body
      return {
        ports: data.map((entry: Entry) => entry.inner_src_port),
        prev: metadata.prev_page,
        next: metadata.next_page,
      }
    }
    const middle = await page((await page()).next)
    const last = await page(middle.next)
    expect([middle.ports, last.ports]).toEqual([[2], [3]])
    now.mockReturnValue(at + 10 * day)
    // Expects a single page, because all newer flows have expired.
    expect(await page(middle.next)).toEqual({ ports: [3], prev: null, next: null })
    const emptied = await page(middle.prev)
    expect([emptied.ports, emptied.prev]).toEqual([[], null])
    expect(await page(emptied.next)).toEqual({ ports: [3], prev: null, next: null })
  })
})
