import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, expect, it, vi } from 'vitest'
import type { Authorization } from '#shared/access/authorization.ts'
import type { ActiveAuthorization } from '#shared/access/gateway-authorizations.ts'
import type { CommitRecord } from '#shared/commit/commit-record.ts'
import type { Event } from '#shared/http/exchange.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import type { Item } from '#shared/table/keys.ts'
import type { Page } from '#shared/values/page.ts'
import { isReleased } from '#test/support/run/is-released.ts'

/**
 * Laws of forms: from v1.0.0 on, a version reads the values that the previous version sent to streams or callers (docs/evolution.md). The
 * samples were created with this secret, each by the version that introduced its form.
 */
vi.stubEnv('SIGNING_SECRET', 'a-secret-that-only-these-samples-know')
// Discards cached keys, which may have been derived from a different secret.
vi.resetModules()
afterAll(() => {
  vi.resetModules()
})

const { accessPage } = await import('#shared/access/access-list.ts')
const { readResourcesCursor, resourcesCursor } = await import('#shared/access/client-session.ts')
const { authorizationsSince } = await import('#shared/access/gateway-authorizations.ts')
const { commitItem, readCommitRecord } = await import('#shared/commit/commit-record.ts')
const { encodeBytes, encodeCursor } = await import('#shared/core/secrets/cursor.ts')
const {
  deriveKey,
  decryptBytes: openBytes,
  encryptBytes: sealBytes,
} = await import('#shared/core/secrets/sealed-bytes.ts')
const { acquireLock, savedAnswerWrite } = await import('#shared/http/idempotency.ts')
const { logCursor, readLogPosition } = await import('#shared/logs/query-logs.ts')
const { readLogQuery } = await import('#shared/logs/log-query.ts')
const { pack, unpack } = await import('#shared/logs/flows/packing.ts')
const { reportsOf } = await import('#test/support/logs/flows.ts')
const { table, tableName } = await import('#shared/table/table.ts')
const { pageOfRows: pageOf } = await import('#shared/table/list.ts')
const { pageCursor } = await import('#shared/table/page-cursor.ts')

const id = (n: number) => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`
const account = id(1)
const sessionId = id(2)

type Form = {
  /** Sample in the current form (`today`) and in the previous form (`before`). A form that never changed has no previous sample. */
  today: string
  before?: string
  read(text: string): unknown
  holds: unknown
  /** Content of the previous sample, if it lacks fields that the current sample has. */
  held?: unknown
  /** Writes the sample's content in the current form. If the result differs from `today`, the sample is outdated. */
  write(): unknown
  /** Normalizes a written value before the comparison. Needed if writing the same content twice gives different results. */
  plain?(text: string): unknown
  /** Returns a value in an unknown form, which must be refused. */
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
  responder_device_id: id(10),
  initiator_actor_id: id(5),
  policy_id: id(11),
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
  follow_ups: [],
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
const logPosition = {
  begin: 1_780_000_000_000_000,
  end: ingestedAt,
  id: 'f65be5ad0c6c0000aabbccdd',
  backward: true,
  at: ingestedAt,
  total: 7,
}

const session = { accountId: account, sessionId }
const inForce = (n: number): ActiveAuthorization => {
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
const token = 'naa_a-token'
const secret = deriveKey(token, `kept answer ${key.pk}${key.sk}`)
const run = { key, id: id(12), secret, fingerprint: 'Hgdsd77OZEvAm_IX92eK1JQa9a0_ec0gqqBzCbAf5cM' }
const request = {
  requestContext: { http: { method: 'POST' } },
  rawPath: '/groups',
  rawQueryString: '',
  headers: { authorization: `Bearer ${token}` } as Event['headers'],
} as Event
const answer = { statusCode: 201, headers: { location: `/groups/${id(8)}` }, body: '{"data":{}}' }
const opened = (text: string) => JSON.parse(zstdDecompressSync(openBytes(secret, base64(text))).toString())

const forms: Record<string, Form> = {
  'a pack of flow reports': {
    today:
      'KLUv/WD8Ab0JAAYVPiBAZ1gHMMyzBTEhD3pjG92v5TAMvxnwx26kFn1nFEU5EDQANAA0AHHS75WcsLYCSKdAfdpC4GCczffNyoCZkwEz81rNZ2fgUuUznWtXsDsG2KL7Nruc0KHvcEWzunbux8jZOI9+bzwHD49ZlpVmbxLvu5Jmrw1+30MrO/MiQJNvcZg2Y/N8T2dtsEIJz/4CiYfgAER812DVsU9QQozS6q861LFvxMhAEHN/3zDPCQR2BzHpl7kX5lXnBUj4XRyhz+w+aItCoZeT0sd+IdWNGClOj/GRiyw29gkrR5IYh4IoTolSKa0vr9qlGLuWsa6esIUbpkMvNoYWFgBFmbc6PUaLaxLkKDzvnx0C0xoKspnxMhiyWsJo4YsPSPfBjYCIEoZBg4SNZ+ZjkEEQAQ7cCmDFaEsZ',
    read: (text) => {
      const pack = unpack(base64(text))
      return { claims: pack.claims, ingested_at: pack.ingested_at, reports: reportsOf(pack) }
    },
    holds: { claims, ingested_at: ingestedAt, reports: [open, closed] },
    write: () => pack(claims, ingestedAt, [open, closed])[0]?.toString('base64'),
    plain: (text) => zstdDecompressSync(base64(text)).toString(),
    other: () => zstdCompressSync('{"version":3,"rows":[]}').toString('base64'),
  },
  'a commit record': {
    today:
      '{"pk":"pk","sk":"sk","kind":"commit","version":1,"account_id":"01990000-0000-7000-8000-000000000001","commit_id":"01990000-0000-7000-8000-000000000007","sequence":12,"time":1790000100000000,"first_leaf":41,"subject":null,"changes":[{"object":"groups","operation":"insert","before":null,"after":{"id":"01990000-0000-7000-8000-000000000008","name":"Staff"}}],"rows":{"groups#01990000-0000-7000-8000-000000000008":"Vc4aQ8rV0m5n2kq1bB7xZg"},"revocations":[],"follow_ups":[]}',
    read: (text) => readCommitRecord(JSON.parse(text)),
    holds: expect.objectContaining(record),
    write: () => JSON.stringify(commitItem({ pk: 'pk', sk: 'sk' }, record)),
    other: () => JSON.stringify({ version: 3, ...record }),
  },
  'a cursor of a list': {
    today:
      'xZ-cAShd.hTZ76bG0a7kQAxRyb-6tNXsiYXQiOiIwMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJiYWNrd2FyZCI6ZmFsc2V9',
    read: async (text) => {
      const all = rows.map((row) => ({ id: row.id, row: () => row }))
      return (await pageOf(all, pageAt('groups', text))).rows.map((row) => row.id)
    },
    holds: [id(2)],
    write: () => pageCursor(pageAt('groups', null), at),
    other: () => encodeCursor(pageAt('groups', null).binding, { after: id(1) }),
  },
  'a cursor of an access list': {
    today:
      'xZ-cAShd.bwDQ3Ve_d8cYgxUXFfBCUnsiYXQiOiIwMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJiYWNrd2FyZCI6ZmFsc2V9',
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
      'xZ-cAShd.woOeYLbiApE7UGI0G6wEMnsiYmVnaW4iOjE3ODAwMDAwMDAwMDAwMDAsImVuZCI6MTc5MDAwMDEwMDAwMDAwMCwiaWQiOiJmNjViZTVhZDBjNmMwMDAwYWFiYmNjZGQiLCJiYWNrd2FyZCI6dHJ1ZSwiYXQiOjE3OTAwMDAxMDAwMDAwMDAsInRvdGFsIjo3fQ',
    read: (text) => readLogPosition(account, logQuery(text)),
    holds: logPosition,
    write: () => logCursor(account, logQuery('any'), logPosition),
    other: () => logCursor(account, logQuery('any'), { ...logPosition, from: 1 } as typeof logPosition),
  },
  'a cursor of the resources of a session': {
    today: 'xZ-cAShd.q_Uud6HAQyr6JM9-w_hsJyIwMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDYi',
    read: (text) => readResourcesCursor(account, sessionId, text),
    holds: id(6),
    write: () => resourcesCursor(account, sessionId, { resources: [inForce(1).content.resource], more: true }),
    other: () => encodeCursor(`client resources ${account} ${sessionId}`, { at: id(6) }),
  },
  'the `since` of a gateway': {
    today: 'xZ-cAShd.QR4JB4gb1SvP9LpxDhxtLwGZAAAAAHAAgAAAAAAAACCuwKu1SRX7WgGZAAAAAHAAgAAAAAAAACFT0p_gGPIxzg',
    read: async (text) => {
      const { complete, added, removed } = await authorizationsSince(session, [inForce(21), inForce(22)], text)
      if (complete) throw new Error('It was read as if it were absent (P4.3).')
      return [added?.map((one) => one.id), removed]
    },
    holds: [[id(22)], [id(20)]],
    write: async () => (await authorizationsSince(session, [inForce(20), inForce(21)], null)).since,
    other: () => encodeBytes(`gateway since ${account} ${sessionId}`, Buffer.alloc(25)),
  },
  'a stored response': {
    today:
      '9ILJWIp1/RaIAbF9RCDVmO2czBg2gp5jDMVQ669pruNmzPE3C6IXFcJANhza9m7UCsGaTRucey5pKRt49b0BHK05TNb6eVMhba2ZrG0PrOHN7VuqGPUFDhwOXKv5DNsEXGcWlMcWz785aTHCMGChoZMKPiiMw5A1d1BUkcTA8vkK4l1TQt7V',
    read: async (text) => {
      const item: Item = { ...key, kind: 'idempotency', ...run, ends: Number.MAX_SAFE_INTEGER, answer: base64(text) }
      await table().send(new PutCommand({ TableName: tableName(), Item: item }))
      return acquireLock({ accountId: account, tokenId: id(11) }, 'once', request, Buffer.from('{}'))
    },
    holds: { replay: answer },
    write: () => savedAnswerWrite(run, answer).Item.answer.toString('base64'),
    plain: opened,
    other: () => sealBytes(secret, zstdCompressSync('{"version":3}')).toString('base64'),
  },
}

/**
 * Checks a form against its samples.
 * @throws AssertionError if the results differ, or if a sample of a previous form exists although v1.0.0 has not been released
 */
async function check(
  { today, before, read, holds, held = holds, write, plain = (text) => text, other }: Form,
  released = isReleased(),
) {
  if (!released) expect(before, 'a form before the first release').toBeUndefined()
  const written = String(await write())
  expect(await plain(written), 'written').toEqual(await plain(today))
  expect(await read(today), 'in the form of today').toEqual(holds)
  if (before !== undefined) expect(await read(before), 'in the form before').toEqual(held)
  const unknown = await other()
  await expect((async () => read(unknown))(), 'in a form that is neither').rejects.toThrow()
}

it.each(Object.entries(forms))('%s is read in the current and the previous form, and in no other', (_name, form) =>
  check(form),
)

it.each<[string, Partial<Form>, string]>([
  ['is written in a form without a sample', { write: () => JSON.stringify({ version: 3, ...record }) }, 'written'],
  ['is not read in the current form', { read: () => null }, 'today'],
  ['is not read in the previous form', { before: '{"version":0}' }, 'not supported'],
  ['is read in any form', { read: () => expect.objectContaining(record) }, 'resolved'],
])('detects a form that %s', async (_fault, planted, message) => {
  const { 'a commit record': form } = forms
  await expect(check({ ...(form as Form), ...planted }, true)).rejects.toThrow(message)
})

it('detects a previous form that no release has written', async () => {
  const { 'a commit record': form } = forms
  const planted = { ...(form as Form), before: form?.today }
  await check(planted, true)
  await expect(check(planted, false)).rejects.toThrow('before the first release')
})
