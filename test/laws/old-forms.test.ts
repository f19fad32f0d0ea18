import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, expect, it, vi } from 'vitest'
import type { Authorization } from '#shared/access/authorizations/authorization.ts'
import type { InForce } from '#shared/access/gateway-sessions/authorizations-in-force.ts'
import type { CommitRecord } from '#shared/commit/commit-record.ts'
import type { Event } from '#shared/http/exchange.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { PutCommand } from '#shared/table/commands.ts'
import type { Item } from '#shared/table/keys.ts'
import type { Page } from '#shared/values/page.ts'

/**
 * What lies in streams and with callers while a deployment happens is read in the form of the version before, too
 * (docs/evolution.md). The samples were stored by the version of their form, under this secret.
 */
vi.stubEnv('SERVICE_SECRET', 'a-secret-that-only-these-samples-know')
// Keys of another secret may be at hand.
vi.resetModules()
afterAll(() => {
  vi.resetModules()
})

const { accessPage } = await import('#shared/access/access-page.ts')
const { readResourcesCursor, resourcesCursor } = await import('#shared/access/client-sessions/resources-cursor.ts')
const { answerSince } = await import('#shared/access/gateway-sessions/answer-since.ts')
const { commitItem, readCommitRecord } = await import('#shared/commit/commit-record.ts')
const { encodeBytes, encodeCursor } = await import('#shared/core/pagination.ts')
const { seal, unseal } = await import('#shared/core/secrets/sealed-secret.ts')
const { acquireLock, savedAnswerWrite } = await import('#shared/http/idempotency.ts')
const { logCursor, readLogPosition } = await import('#shared/logs/log-cursor.ts')
const { readLogQuery } = await import('#shared/logs/log-query.ts')
const { pack, unpack } = await import('#shared/logs/flows/packing.ts')
const { table, tableName } = await import('#shared/table/client.ts')
const { pageOf } = await import('#shared/table/list.ts')
const { pageCursor } = await import('#shared/table/page-cursor.ts')

const id = (n: number) => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`
const account = id(1)
const sessionId = id(2)

type Form = {
  /** As the version of today writes it, and the one before. What had no other form yet has no sample of one. */
  today: string
  before?: string
  read(text: string): unknown
  holds: unknown
  /** What the sample of the version before holds, where that is less. */
  held?: unknown
  /** What today's version makes of the same; the sample of a form that was given up meanwhile shows here. */
  write(): unknown
  /** What a text is compared by, where writing the same twice gives two texts. */
  plain?(text: string): unknown
  /** A form that is neither. */
  other(): string | Promise<string>
}

const base64 = (text: string) => Buffer.from(text, 'base64')

const claims: IngestClaims = {
  account_id: account,
  policy_authorization_id: id(3),
  role: 'initiator',
  uploads_enabled: true,
  iat: 1_790_000_000,
  exp: 1_800_000_000,
  initiator_device_id: id(4),
  initiator_actor_id: id(5),
  resource_id: id(6),
}
const ingestedAt = 1_790_000_100_000_000
const open: FlowReport = {
  protocol: 'udp',
  inner_src_ip: '100.64.0.1',
  inner_src_port: 5353,
  inner_dst_ip: '192.0.2.7',
  inner_dst_port: 53,
  flow_start: 1_790_000_000_000_001,
  domain: 'wiki.example.com',
  closing: null,
}
const outer = { src_ip: null, src_port: null, dst_ip: '203.0.113.9', dst_port: 51_820 }
const closed: FlowReport = {
  ...open,
  protocol: 'tcp',
  closing: {
    flow_end: 1_790_000_050_000_000,
    last_packet: 1_790_000_049_000_000,
    rx_packets: 3,
    tx_packets: 0,
    rx_bytes: '9223372036854775807',
    tx_bytes: 4_096,
    outers: [{ ...outer, path_activated_at: 1_790_000_000_000_002 }],
  },
}

const record: CommitRecord = {
  account_id: account,
  commit_id: id(7),
  sequence: 12,
  time: ingestedAt,
  first_leaf: 41,
  subject: null,
  changes: [{ object: 'groups', operation: 'insert', before: null, after: { id: id(8), name: 'Staff' } }],
  rows: { [`groups#${id(8)}`]: 'Vc4aQ8rV0m5n2kq1bB7xZg' },
  revocations: [],
  cascades: [],
}

const pageAt = (scope: string, cursor: string | null): Page => ({
  limit: 1,
  cursor,
  filters: {},
  binding: `${account}/${scope}?{}`,
})
const at = { at: id(1), backward: false }
const rows = [1, 2, 3].map((n) => ({ id: id(n), inserted_at: '', updated_at: '' }))
const ids = rows.map((row) => row.id)

const logQuery = (cursor: string) =>
  readLogQuery(new URLSearchParams({ type: 'flow', page_cursor: cursor }), ingestedAt)
const logPosition = { begin: 1_780_000_000_000_000, end: ingestedAt, id: 'f65be5ad0c6c0000aabbccdd', backward: true }

const session = { accountId: account, sessionId }
const inForce = (n: number): InForce => {
  const content = {
    id: id(n),
    client: { id: id(4), actor_id: id(5), ipv4: '100.64.0.1', ipv6: 'fd00::1', public_key: 'key' },
    resource: {
      id: id(6),
      name: 'Wiki',
      type: 'dns' as const,
      address: 'wiki.example.com',
      address_description: null,
      filters: [],
      ip_stack: 'dual' as const,
      site_id: id(9),
    },
    policy_id: id(10),
    flow_log_uploads_enabled: true,
    expires_at: '2099-01-01T00:00:00.000000Z',
  }
  const more = { account_id: account, authorized_at: '2026-01-01T00:00:00.000000Z', client_id: id(4), actor_id: id(5) }
  return { authorization: { ...content, ...more, resource_id: id(6) } as unknown as Authorization, content }
}

const key = { pk: `${account}#idempotency#${id(11)}`, sk: 'IAZRqLLVkS9pLbiUaKfUfYaj7WhE9I8bFfK-HZyafl4' }
const run = { key, id: id(12), accountId: account, fingerprint: '6DWW-O-2Q2UsuukM4iht8vNRpPY67hmDWzNZ_njfHxA' }
const request = { requestContext: { http: { method: 'POST' } }, rawPath: '/groups', rawQueryString: '' } as Event
const answer = { statusCode: 201, headers: { location: `/groups/${id(8)}` }, body: '{"data":{}}' }
const opened = async (text: string) =>
  JSON.parse(
    zstdDecompressSync(
      await unseal(account, 'idempotency', key.pk + key.sk, { version: '1', bytes: base64(text) }),
    ).toString(),
  )

const forms: Record<string, Form> = {
  'a pack of flow reports': {
    today:
      'KLUv/WCMATUJAHaUPCBAZ1gHMMyzBTFBmKxE63CLM1VFcRiRN9zILfrOKIpyIDMAMgAzAPT7xcyur6DpFKjPUwhgy9l8nzgZMDMyYGZuLfHdl1Yq80wI3xXujqGfhF/lzsx2aDxcEdOJ9HtGZ4XvRoR9iIuynCT3JhG/DUnu9fU3PrS6L1ECPCYqzvKmbJ7v6ayvazN99yhnjeElIuqBRnzbYBfbI0ghRqql72KL7RNiZByIOX3fLM8JBHcHMemXOSlLrE4MYPq7+EGfi0IhLasksX1DKyXEaLG6lA+zR2Njj3DCEMRgybFYIWsp1b68a1tibGvGwnrCFm6YEEUZEgBFmbc6PUaLaxLkKDzvpw2Ba4aCDibyFdJAcBjDoEHCxjPzMcggiAAHbgWwYrSlDA==',
    before:
      '1VPbbuMgEP2Xoz6yFvgS2/xKVVkUsy0qAQtwmm7kf6+IL3Gqfcg+Lg8jMYc5M3NmuOCkfNDOgjMCaYQ+BvALhJRutLHTPTgoa1tKKf11NXUyzXpdDgPB4IyWX50Y47vz+o+I2tmHCQoQeGcUOLTVUYvoPAjGwTjRh05Z8WpUDx79qAi0iOCsbpdgAnUewFlDN8dG0vXqpKV6uJAS+2Ahk300tkpNqOBG/w8JD5hSxjcVouq7XWPs1o1Xg/MxgD9fMHgXnXQGHGM/XKu1ynfBy04P4GCUZocyoxm7wxIBeFVUxertQ1wi2jyjWZ7V2ENrAMFv4z67EIW/E32eO0HvjkJbcHzqD52pszgORmXSHZEWygVt38DtaMxE7oqP8n8p/jKTKNvfKKptNkakfEJ+qF2Gst1Gd17A67960jaCo0gzj39DaEL8uXv9imrvb/O8KOqcFoemKuu6ami9cPx8WdL2ulJujMrPK7PKm6ZAcBN0vm9S5rRIyrMiazG7FxlZk1OCQcT39CH0SfzY1PXk08s0vUzf',
    read: (text) => unpack(base64(text)),
    holds: { claims, ingested_at: ingestedAt, reports: [open, closed] },
    write: () => pack(claims, ingestedAt, [open, closed])[0]?.toString('base64'),
    plain: (text) => zstdDecompressSync(base64(text)).toString(),
    other: () => zstdCompressSync('{"version":3,"rows":[]}').toString('base64'),
  },
  'a commit record': {
    today:
      '{"pk":"pk","sk":"sk","kind":"commit","version":2,"account_id":"01990000-0000-7000-8000-000000000001","commit_id":"01990000-0000-7000-8000-000000000007","sequence":12,"time":1790000100000000,"first_leaf":41,"subject":null,"changes":[{"object":"groups","operation":"insert","before":null,"after":{"id":"01990000-0000-7000-8000-000000000008","name":"Staff"}}],"rows":{"groups#01990000-0000-7000-8000-000000000008":"Vc4aQ8rV0m5n2kq1bB7xZg"},"revocations":[],"cascades":[]}',
    before:
      '{"pk":"pk","sk":"sk","kind":"commit","version":2,"account_id":"01990000-0000-7000-8000-000000000001","commit_id":"01990000-0000-7000-8000-000000000007","sequence":12,"time":1790000100000000,"subject":null,"changes":[{"object":"groups","operation":"insert","before":null,"after":{"id":"01990000-0000-7000-8000-000000000008","name":"Staff"}}],"revocations":[],"cascades":[]}',
    read: (text) => readCommitRecord(JSON.parse(text)),
    holds: expect.objectContaining(record),
    held: expect.objectContaining({ ...record, first_leaf: null, rows: {} }),
    write: () => JSON.stringify(commitItem({ pk: 'pk', sk: 'sk' }, record)),
    other: () => JSON.stringify({ version: 3, ...record }),
  },
  'a commit record that was never rewritten': {
    today:
      '{"pk":"pk","sk":"sk","kind":"commit","version":2,"account_id":"01990000-0000-7000-8000-000000000001","commit_id":"01990000-0000-7000-8000-000000000007","sequence":12,"time":1790000100000000,"first_leaf":41,"subject":null,"changes":[{"object":"groups","operation":"insert","before":null,"after":{"id":"01990000-0000-7000-8000-000000000008","name":"Staff"}}],"rows":{"groups#01990000-0000-7000-8000-000000000008":"Vc4aQ8rV0m5n2kq1bB7xZg"},"revocations":[],"cascades":[]}',
    before:
      '{"pk":"pk","sk":"sk","kind":"commit","account_id":"01990000-0000-7000-8000-000000000001","commit_id":"01990000-0000-7000-8000-000000000007","sequence":12,"time":1790000100000000,"subject":null,"changes":[{"object":"groups","operation":"insert","before":null,"after":{"id":"01990000-0000-7000-8000-000000000008","name":"Staff"}}]}',
    read: (text) => readCommitRecord(JSON.parse(text)),
    holds: expect.objectContaining(record),
    held: expect.objectContaining({ ...record, first_leaf: null, rows: {} }),
    write: () => JSON.stringify(commitItem({ pk: 'pk', sk: 'sk' }, record)),
    other: () => JSON.stringify({ version: 3, ...record }),
  },
  'a cursor of a list': {
    today: 'hTZ76bG0a7kQAxRyb-6tNXsiYXQiOiIwMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJiYWNrd2FyZCI6ZmFsc2V9',
    read: async (text) => {
      const all = rows.map((row) => ({ id: row.id, row: () => row }))
      return (await pageOf(all, pageAt('groups', text))).rows.map((row) => row.id)
    },
    holds: [id(2)],
    write: () => pageCursor(pageAt('groups', null), at),
    other: () => encodeCursor(pageAt('groups', null).binding, { after: id(1) }),
  },
  'a cursor of an access list': {
    today: 'bwDQ3Ve_d8cYgxUXFfBCUnsiYXQiOiIwMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJiYWNrd2FyZCI6ZmFsc2V9',
    read: async (text) => {
      const read = async ({ after = '' }) => ids.filter((one) => one > after)
      const accept = async (found: string[]) => found.map((one) => ({ id: one, row: one }))
      return (await accessPage(pageAt('access', text), { read, accept })).data
    },
    holds: [id(2)],
    write: () => pageCursor(pageAt('access', null), at),
    other: () => encodeCursor(pageAt('access', null).binding, { at: 7, backward: false }),
  },
  'a cursor of the logs': {
    today:
      'XxUWRhZoUYue4-6o7vgFP3siYmVnaW4iOjE3ODAwMDAwMDAwMDAwMDAsImVuZCI6MTc5MDAwMDEwMDAwMDAwMCwiaWQiOiJmNjViZTVhZDBjNmMwMDAwYWFiYmNjZGQiLCJiYWNrd2FyZCI6dHJ1ZSwiYXQiOjE3OTAwMDAxMDAwMDAwMDAsInRvdGFsIjo3fQ',
    before:
      'S2QYZljLE0hqKdV6Wv8s9XsiYmVnaW4iOjE3ODAwMDAwMDAwMDAwMDAsImVuZCI6MTc5MDAwMDEwMDAwMDAwMCwiaWQiOiJmNjViZTVhZDBjNmMwMDAwYWFiYmNjZGQiLCJiYWNrd2FyZCI6dHJ1ZX0',
    read: (text) => readLogPosition(account, logQuery(text)),
    holds: { ...logPosition, at: ingestedAt, total: 7 },
    held: logPosition,
    write: () => logCursor(account, logQuery('any'), { ...logPosition, at: ingestedAt, total: 7 }),
    other: () => logCursor(account, logQuery('any'), { ...logPosition, from: 1 } as typeof logPosition),
  },
  'a cursor of the resources of a session': {
    today: 'q_Uud6HAQyr6JM9-w_hsJyIwMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDYi',
    read: (text) => readResourcesCursor(account, sessionId, text),
    holds: id(6),
    write: () => resourcesCursor(account, sessionId, { resources: [inForce(1).content.resource], more: true }),
    other: () => encodeCursor(`client resources ${account} ${sessionId}`, { at: id(6) }),
  },
  'what a gateway sends as `since`': {
    today: 'QR4JB4gb1SvP9LpxDhxtLwGZAAAAAHAAgAAAAAAAACCuwKu1SRX7WgGZAAAAAHAAgAAAAAAAACFT0p_gGPIxzg',
    before:
      '8lWxhLRPeKouivuOUQDfByJBWmtBQUFBQWNBQ0FBQUFBQUFBQUlLN0FxN1ZKRmZ0YUFaa0FBQUFBY0FDQUFBQUFBQUFBSVZQU24rQVk4akhPIg',
    read: async (text) => {
      const { complete, added, removed } = await answerSince(session, [inForce(21), inForce(22)], text)
      if (complete) throw new Error('It was read as if it were absent (P4.3).')
      return [added?.map((one) => one.id), removed]
    },
    holds: [[id(22)], [id(20)]],
    write: async () => (await answerSince(session, [inForce(20), inForce(21)], null)).since,
    other: () => encodeBytes(`gateway since ${account} ${sessionId}`, Buffer.alloc(25)),
  },
  'a kept answer': {
    today:
      '+NGeeGK6joxx/pYmJQ+eajv4Y/PqtBhm96ZnYmTG0XCEzcsy59FAWzyaA1w3bKB11/icX/xsk4GqL+JJZA/4vm7RsISYlVW3WB2pgYCpgA67tPwL3h6ewCFG6j2RHW/rOw499HjyZtMx1B1y4XjuCauRT1+KPLxAYW4UeuiA+qdaLV86L7Tw',
    before:
      'M3l6bLyzftPqTznpXmStka0IbBe9/e7AmKah9ZbRMjLiMCQbnIgsITdBRtAxeoBv21bq7SKkcge1Q7AaG6RoXtjCt3oz4n48rzykNtd9tpp0aDtec8gb1txWVMU5EJ72XOJguq3fBrUhqrdBEqEnlDpawQK0Ch7uNtaVioxHnQ4=',
    read: async (text) => {
      const item: Item = { ...key, kind: 'idempotency', ...run, ends: Number.MAX_SAFE_INTEGER, answer: base64(text) }
      await table().send(new PutCommand({ TableName: tableName(), Item: item }))
      return acquireLock({ accountId: account, tokenId: id(11) }, 'once', request, Buffer.from('{}'))
    },
    holds: { replay: answer },
    write: async () => (await savedAnswerWrite(run, answer)).Item.answer.toString('base64'),
    plain: opened,
    other: async () =>
      (await seal(account, 'idempotency', key.pk + key.sk, zstdCompressSync('{"version":3}'))).bytes.toString('base64'),
  },
}

/** @throws where a form is written or read in another way than its samples say */
async function check({ today, before, read, holds, held = holds, write, plain = (text) => text, other }: Form) {
  const written = String(await write())
  expect(await plain(written), 'written').toEqual(await plain(today))
  expect(await read(today), 'in the form of today').toEqual(holds)
  if (before !== undefined) expect(await read(before), 'in the form before').toEqual(held)
  const unknown = await other()
  await expect((async () => read(unknown))(), 'in a form that is neither').rejects.toThrow()
}

it.each(Object.entries(forms))('%s is read in the forms of today and before, and in no other', (_name, form) =>
  check(form),
)

it.each<[string, Partial<Form>, string]>([
  ['is written in a form that has no sample', { write: () => JSON.stringify({ version: 3, ...record }) }, 'written'],
  ['is not read in the form of today', { read: () => null }, 'today'],
  ['is not read in the form before', { before: '{"version":0}' }, 'not known'],
  ['is read in any form', { other: () => '{}' }, 'resolved'],
])('finds one that %s', async (_fault, planted, message) => {
  const { 'a commit record': form } = forms
  await expect(check({ ...(form as Form), ...planted })).rejects.toThrow(message)
})

it('a sign-in under way is answered by the version after the one that began it', async () => {
  const { readOneTimeToken } = await import('#shared/sign-in/one-time-token.ts')
  const { openProofs } = await import('#shared/sign-in/providers/pending-sign-in.ts')
  const account = '01a2033f-7d8d-7000-8000-5691a35a1140'
  const text = 'AaIDP32NcACAAFaRo1oRQAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH'
  const sk = 'S7Bvjk46dxXSAdVz0KpCN2LlXavWGiwCJ4-lbMbSlOA'
  const keyOf = (purpose: 'pending' | 'code') => readOneTimeToken(text, purpose)?.key
  expect(keyOf('pending')).toEqual({ pk: `${account}#sign_in.pending`, sk })
  expect(keyOf('code')).toEqual({ pk: `${account}#sign_in.code`, sk })
  const sealed =
    'Xg8k5NvIvFtg/pVSmSZB138CZjhO4MBMB8vS1eznQRynWtOJID82TAIcLlq/fhEKmxVsKeMJfpSn1JJawzAPewo7yv6x8njjBbBRCwmKfgi8V35soGLW'
  const stored = { version: '1', bytes: Buffer.from(sealed, 'base64') }
  expect(await openProofs(account, sk, stored)).toEqual({ nonce: 'nonce-of-before', verifier: 'verifier-of-before' })
})
