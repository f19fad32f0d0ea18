import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { CommitRecord } from '#shared/commit/commit-record.ts'
import { ApiRequestEntry, ChangeEntry, LogEntry, SessionEntry } from '#shared/logs/entries/log-entry.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import type { LogItem } from '#shared/logs/part-reader.ts'
import { cutEntry, renderEntry } from '#shared/logs/render-entries.ts'
import { changeText, storedText } from '#shared/seal/log/entry-text.ts'
import { leafHash } from '#shared/seal/merkle/merkle-proof.ts'

/**
 * Laws of sealed entries: a leaf is the hash of an entry as `GET` returns it (S1.2), and is sealed permanently. Every later version must
 * therefore return a stored entry unchanged. A new member is returned only for entries that were stored with it, and requires a new form
 * here. No member may be removed, and existing forms must not change.
 */

const id = (n: number) => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`
const time = 1_790_000_000_000_000
const origin = { ip: '192.0.2.1', ip_region: 'DE', ip_city: null, ip_lat: 52.5, ip_lon: 13.4, user_agent: 'curl/8.5.0' }
const subject = {
  actor_id: id(1),
  actor_name: 'Ada',
  actor_type: 'account_admin_user',
  actor_email: 'ada@example.com',
  auth_provider_id: null,
  device_id: null,
  gateway_id: null,
  token_id: id(2),
  ...origin,
}
type Form = { type: 'change' | 'session' | 'api_request'; members: Record<string, unknown>; leaf: string }
const idOf = (type: Form['type']) => logId(type, time, positionTail(0))
const stored = ({ type, members }: Form) => logItems(id(9), type, idOf(type), time, members)[0] as unknown as LogItem
const change = { object: 'groups', operation: 'insert', before: null, after: { id: id(3), name: 'Staff' } }
const request = {
  actor_id: id(1),
  api_token_id: id(2),
  method: 'POST',
  path: '/groups',
  content_length: 31,
  request_id: id(4),
}

/** Forms of stored entries, with the leaf that was sealed for each. The first form of each type is the oldest sealed form. */
const forms: Record<string, Form> = {
  'a change': {
    type: 'change',
    members: { ...change, subject, leaf: 7 },
    leaf: '9h0pO07CJ7XpNU/CTz5CsGe04BQVt7EoIGxm50I+B2M=',
  },
  'a change of a sync run': {
    type: 'change',
    members: { ...change, subject: null, run_id: id(5), leaf: 8 },
    leaf: 'kxqxQOzLaUgUh3rPqGUVLIzpsMEYxiNTODA7MSHDysU=',
  },
  'a session': {
    type: 'session',
    members: { context: 'client', subject },
    leaf: 'SKC+OUjf4LpwjDaovB4Tocqt8qVKu9/IqgDH8RzUotc=',
  },
  'a session of a portal': {
    type: 'session',
    members: { context: 'portal', subject: { ...subject, user_agent: null } },
    leaf: 'VDXFOlwsWHH7cwZWJx48ETWvgnY0SOgovv3JBN9xGZA=',
  },
  'an API request': {
    type: 'api_request',
    members: { ...request, ...origin },
    leaf: 'BNQePx7Bo3LJebbMyUkcUeaO8Plts6qt56SmfDihNQM=',
  },
  'an API request without a body': {
    type: 'api_request',
    members: { ...request, content_length: null, ...origin },
    leaf: 'oXmMLV/9VeNCwPMgmBB1RzXcL7vWwrr8S+wCYYpccnI=',
  },
}

/** Members that are returned for every entry of a type, even if they are not stored, because they predate the sealed log. */
const always: Record<string, string[]> = { change: ['run_id'] }

const shown = (item: LogItem) => v.parse(LogEntry, cutEntry(renderEntry(item, new Map()))) as Record<string, unknown>

describe.each(Object.entries(forms))('%s', (_name, form) => {
  it('has its sealed leaf', () => {
    expect(leafHash(storedText(stored(form))).toString('base64')).toBe(form.leaf)
  })

  it('is returned with its stored members, without those of the table alone, and with no others', () => {
    const { type, members } = form
    const { leaf: _leaf, ...entry } = members
    const made = (always[type] ?? []).map((name) => [name, null])
    const common = { type, log_id: idOf(type), timestamp: '2026-09-21T14:13:20.000000Z' }
    expect(shown(stored(form))).toStrictEqual({ ...Object.fromEntries(made), ...common, ...entry })
  })
})

it('has the same leaf from its commit after the entry has expired', () => {
  const record = { time, sequence: 1, account_id: id(9), commit_id: id(8), revocations: [], follow_ups: [] }
  const by = (members: object) =>
    leafHash(changeText({ ...record, ...members } as unknown as CommitRecord, 0)).toString('base64')
  expect(by({ first_leaf: 7, subject, changes: [change] })).toBe(forms['a change']?.leaf)
  expect(by({ first_leaf: 8, subject: null, run_id: id(5), changes: [change] })).toBe(
    forms['a change of a sync run']?.leaf,
  )
})

it.each([ChangeEntry, SessionEntry, ApiRequestEntry].map((entry) => [entry.entries.type.literal, entry] as const))(
  'has a form of %s with every possible member',
  (type, entry) => {
    const common = ['type', 'log_id', 'timestamp']
    const found = Object.values(forms).filter((form) => form.type === type)
    const names = new Set([...common, ...found.flatMap(({ members }) => Object.keys(members))])
    // Expects `truncated` only in responses (L2.7), because entries are stored with complete snapshots.
    const made = [...(always[type] ?? []), 'truncated']
    expect(Object.keys(entry.entries).filter((name) => !names.has(name) && !made.includes(name))).toEqual([])
  },
)
