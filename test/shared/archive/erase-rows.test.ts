import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { countErased, eraseRow, erasureOf } from '#shared/archive/erase-rows.ts'
import type { LogStream } from '#shared/logs/entries/log-id.ts'
import { type FileRow, logColumns } from '#shared/logs/files/columns.ts'
import { rowLeaf } from '#shared/seal/log/row-leaf.ts'
import { realisticFlows } from '#test/support/logs/realistic-flows.ts'

const [actor, other] = [randomUUID(), randomUUID()]
const erasure = { id: randomUUID(), actor_id: actor, erased_at: 1_764_000_000_000_001, rows: 0, last_manifest: -1 }
const erasures = new Map([[actor, erasure]])

const rowOf = (stream: LogStream, fields: FileRow): FileRow => ({
  ...Object.fromEntries(Object.keys(logColumns[stream]).map((column) => [column, null])),
  log_id: 'c00000000000000000000000',
  timestamp: 7,
  ...fields,
})

describe('a row', () => {
  it.each<[string, LogStream, FileRow]>([
    ['of which the actor is the subject', 'change', { subject_actor_id: actor }],
    ['of which the actor is the object', 'change', { object: 'actors', object_id: actor }],
    ['whose former value mentions the actor', 'change', { before: JSON.stringify({ member_ids: [other, actor] }) }],
    ['whose new value mentions the actor', 'change', { after: `{"a":"x${actor}${other}"}` }],
    ['of a session of the actor', 'session', { subject_actor_id: actor }],
    ['of a request of the actor', 'api_request', { actor_id: actor }],
    ['of a flow that the actor initiated', 'flow', { initiator_actor_id: actor }],
  ])('%s is affected', (_title, stream, fields) => {
    const row = rowOf(stream, fields)
    expect(erasureOf(row, erasures)).toBe(erasure)
    expect(erasureOf(row, new Map())).toBeUndefined()
    expect(erasureOf(eraseRow(row, Buffer.alloc(32), erasure), erasures)).toBeUndefined()
  })

  it.each<[string, LogStream, FileRow]>([
    ['of others', 'change', { subject_actor_id: other, object_id: other, before: `{"id":"${other}"}`, after: null }],
    ['that contains a part of the id', 'change', { after: JSON.stringify(actor.slice(1)) }],
    ['of a request for the actor', 'api_request', { actor_id: other, path: `/actors/${actor}` }],
    ['of a flow to a resource', 'flow', { initiator_actor_id: other, resource_id: actor }],
  ])('%s is not affected', (_title, stream, fields) => {
    expect(erasureOf(rowOf(stream, fields), erasures)).toBeUndefined()
  })

  it('that is erased keeps its id, time, kind of object, operation and leaf hash', () => {
    const row = rowOf('change', { leaf: 3n, object: 'groups', object_id: other, operation: 'update', after: '{}' })
    const erased = eraseRow(row, rowLeaf('change', row), erasure)
    const { log_id, timestamp } = row
    expect(Object.fromEntries(Object.entries(erased).filter(([, value]) => value !== null))).toEqual({
      ...{ log_id, timestamp, object: 'groups', operation: 'update' },
      erased_at: erasure.erased_at,
      erased_leaf: rowLeaf('change', row).toString('base64'),
    })
    expect(Object.keys(erased)).toEqual(Object.keys(logColumns.change))
    expect(rowLeaf('change', erased)).toEqual(rowLeaf('change', row))
    const [flow = {}] = realisticFlows(1)
    expect(rowLeaf('flow', eraseRow(flow, rowLeaf('flow', flow), erasure))).toEqual(rowLeaf('flow', flow))
    expect(countErased([erased, row, erased])).toEqual({ [erasure.erased_at]: 2 })
    expect(countErased([row])).toEqual({})
  })
})
