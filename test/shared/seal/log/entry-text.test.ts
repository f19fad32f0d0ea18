import { expect, it } from 'vitest'
import type { CommitRecord } from '#shared/commit/commit-record.ts'
import { anonymousSubject } from '#shared/core/subject.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import type { LogItem } from '#shared/logs/part-reader.ts'
import { matchesCommit, storedText } from '#shared/seal/log/entry-text.ts'
import type { Item } from '#shared/table/keys.ts'
import { alterEntry } from '#test/support/logs/change-log-items.ts'

const sk = logId('change', 1, positionTail(0))
const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: null }
const subject = { ...anonymousSubject(origin), actor_id: 'a' }
const after = { id: '1', name: 'Berlin', places: [{ port: 80 }, { port: 443 }] }
const change = { object: 'sites', operation: 'insert', before: null, after }
const record = { time: 1, subject, run_id: null, changes: [change] } as unknown as CommitRecord
const [stored] = logItems('account', 'change', sk, 1, { ...change, subject }) as [Item]
const says = (fields: object, key: string = sk) => matchesCommit({ ...alterEntry(stored, fields), sk: key }, record, 0)

it('accepts an entry with the content of its commit', () => {
  expect(says({})).toBe(true)
})

it.each<[string, object]>([
  ['a member taken away', { after: { id: '1', name: 'Berlin' } }],
  ['a member more', { after: { ...after, note: null } }],
  ['a member of another name', { subject: { actor_id: 'a', ip: '192.0.2.1', agent: null } }],
  ['a member of the subject taken away', { subject: { actor_id: 'a' } }],
  ['another value', { after: { ...after, name: 'Bern' } }],
  ['another value in a list', { after: { ...after, places: [{ port: 80 }, { port: 444 }] } }],
  ['a shorter list', { after: { ...after, places: [{ port: 80 }] } }],
  ['a number as a text', { after: { ...after, places: [{ port: '80' }, { port: 443 }] } }],
  ['a state before', { before: {} }],
  ['nobody', { subject: null }],
  ['another object', { object: 'groups' }],
  ['another operation', { operation: 'update' }],
  ['the run of a directory', { run_id: 'r' }],
])('tells an entry with %s from it', (_what, fields) => {
  expect(says(fields)).toBe(false)
})

it('rejects an entry whose key has another type or time', () => {
  expect(says({}, logId('session', 1, positionTail(0)))).toBe(false)
  expect(says({}, logId('change', 2, positionTail(0)))).toBe(false)
})

it('takes the type, the id and the time of an entry from its key', () => {
  const text = storedText(stored as unknown as LogItem)
  const forged = alterEntry(stored, { type: 'session', log_id: 'c1', timestamp: '2020-01-01T00:00:00.000000Z' })
  expect(storedText(forged as unknown as LogItem)).toBe(text)
})

it('reports an entry without a canonical form as altered, with its id', () => {
  expect(() => storedText(alterEntry(stored, { subject: { actor_id: 'a' } }) as unknown as LogItem)).toThrow(
    expect.objectContaining({ problem: 'altered', at: sk }),
  )
})
