import { expect, it } from 'vitest'
import type { CommitRecord } from '#shared/commit/commit-record.ts'
import { timestamp } from '#shared/core/clock.ts'
import type { LogItem } from '#shared/logs/part-reader.ts'
import { matchesCommit, storedText } from '#shared/seal/log/entry-text.ts'

const sk = 'c00000000000000000000000'
const subject = { actor_id: 'a', ip: '192.0.2.1', user_agent: null }
const after = { id: '1', name: 'Berlin', places: [{ port: 80 }, { port: 443 }] }
const change = { object: 'sites', operation: 'insert', before: null, after }
const record = { time: 1, subject, run_id: null, changes: [change] } as unknown as CommitRecord
const stored = { sk, type: 'change', log_id: sk, timestamp: timestamp(1), ...change, subject }
const says = (fields: object) =>
  matchesCommit({ ...structuredClone(stored), ...fields } as unknown as LogItem, record, 0)

it('accepts an entry with the content of its commit', () => {
  expect(says({})).toBe(true)
})

it.each<[string, object]>([
  ['a member taken away', { after: { id: '1', name: 'Berlin' } }],
  ['a member more', { after: { ...after, note: null } }],
  ['a member of another name', { subject: { actor_id: 'a', ip: '192.0.2.1', agent: null } }],
  ['another value', { after: { ...after, name: 'Bern' } }],
  ['another value in a list', { after: { ...after, places: [{ port: 80 }, { port: 444 }] } }],
  ['a shorter list', { after: { ...after, places: [{ port: 80 }] } }],
  ['a number as a text', { after: { ...after, places: [{ port: '80' }, { port: 443 }] } }],
  ['a state before', { before: {} }],
  ['nobody', { subject: null }],
  ['the id of another', { log_id: 'c00000000000000000000001' }],
  ['another type', { type: 'session' }],
  ['another time', { timestamp: timestamp(2) }],
  ['another object', { object: 'groups' }],
  ['another operation', { operation: 'update' }],
  ['the run of a directory', { run_id: 'r' }],
])('tells an entry with %s from it', (_what, fields) => {
  expect(says(fields)).toBe(false)
})

it('reports an entry without a canonical form as altered, with its id', () => {
  expect(() => storedText({ ...stored, subject: { actor_id: 'a' } } as unknown as LogItem)).toThrow(
    expect.objectContaining({ problem: 'altered', at: sk }),
  )
})
