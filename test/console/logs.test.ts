import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExact, writeExact } from '#functions/console/client/exact-json.ts'
import { commitSegments } from '#functions/console/logs/change-words.ts'
import { type Change, type Flow, timeOf } from '#functions/console/logs/entries.ts'
import { commitsOf, fieldChanges, oldFields, settableFields } from '#functions/console/logs/field-changes.ts'
import { lastHours, wholeHours } from '#functions/console/logs/window.ts'
import { bucketsOf, type HourCounts } from '#functions/console/screens/flows/buckets.ts'
import { pairsOf } from '#functions/console/screens/flows/flow-pairs.ts'
import { explorerAddress } from '#functions/console/screens/refusals/refusals.tsx'
import { resources } from '#functions/console/screens/resources/resources.tsx'

const max = 2n ** 64n - 1n

describe('counters of 64 bits', () => {
  it('are read and written exactly, and nothing else is changed', () => {
    const name = 'a text with "rx_bytes":9007199254740993 and \\"tx_bytes\\":1'
    const text = JSON.stringify({ data: [{ rx_bytes: '#', tx_packets: null, name, flows: 1.5 }] }).replace(
      '"#"',
      `${max}`,
    )
    const parsed = parseExact<{ data: Array<Record<string, unknown>> }>(text)
    expect(parsed).toEqual({ data: [{ rx_bytes: max, tx_packets: null, name, flows: 1.5 }] })
    expect(JSON.stringify(JSON.parse(writeExact({ data: [{ flows: 1.5 }] })))).toBe('{"data":[{"flows":1.5}]}')
    expect(writeExact(parsed).replace(/\n\s*|(?<=":) /g, '')).toBe(text)
  })

  it('equal any counter that was written', () =>
    fc.assert(
      fc.property(fc.bigInt(0n, max), (counter) => {
        expect(parseExact(`{"rx_bytes": ${counter}}`)).toEqual({ rx_bytes: counter })
      }),
    ))
})

const change = (more: Partial<Change>): Change => ({
  type: 'change',
  log_id: 'c00000000000010000000000',
  timestamp: '2026-11-29T10:00:00.000000Z',
  object: 'resources',
  operation: 'update',
  before: null,
  after: null,
  subject: { actor_name: 'Ada' } as never,
  run_id: null,
  ...more,
})

const wiki = { id: 'r1', name: 'Wiki', address: 'wiki.example.com', filters: [{ protocol: 'tcp', ports: ['443'] }] }

describe('the differences of a change', () => {
  it('show changed fields, and lists by removed and added elements', () => {
    const filters = [
      { protocol: 'udp', ports: [] },
      { ports: ['443'], protocol: 'tcp' },
    ]
    const after = { ...wiki, name: 'Wiki 2', filters, updated_at: 'now' }
    expect(fieldChanges({ before: wiki, after })).toEqual([
      { field: 'name', before: 'Wiki', after: 'Wiki 2' },
      {
        field: 'filters',
        before: wiki.filters,
        after: after.filters,
        removed: [],
        added: [{ protocol: 'udp', ports: [] }],
      },
    ])
  })

  it('show both versions of a list whose order changed', () =>
    expect(fieldChanges({ before: { domains: ['a', 'b'] }, after: { domains: ['b', 'a'] } })).toEqual([
      { field: 'domains', before: ['a', 'b'], after: ['b', 'a'] },
    ]))

  it('leave out blank fields of a creation, and fields that were too large', () => {
    const after = { id: 'g1', account_id: 'a', name: 'Staff', email: null, domains: [], notes: 'x' }
    expect(fieldChanges({ before: null, after, truncated: ['notes'] })).toEqual([
      { field: 'name', before: null, after: 'Staff' },
    ])
  })

  it('never lose an element', () =>
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (before, after) => {
        const [difference] = fieldChanges({ before: { list: before }, after: { list: after } })
        const { removed = [], added = [] } = difference ?? {}
        if (!difference?.removed) return
        const rest = before.filter((one) => !removed.includes(one))
        expect(new Set([...rest, ...added])).toEqual(new Set(after))
      }),
    ))

  it('put back only settable fields that the change changed, and no secret (K7.5)', () => {
    const before = { ...wiki, address: 'old.example.com', managed: true, client_secret: '[redacted]' }
    const fields = settableFields(resources)
    expect(oldFields(change({ before, after: wiki }), fields)).toEqual({ address: 'old.example.com' })
    expect(oldFields(change({ before, operation: 'delete' }), fields)).toMatchObject({ name: 'Wiki' })
    expect(oldFields(change({ after: wiki, operation: 'insert' }), fields)).toBeUndefined()
    expect(settableFields({ fields: [{ name: 'client_secret', kind: 'secret' }] }).size).toBe(0)
  })
})

describe('a commit in words', () => {
  const words = (changes: Change[], names = (_: string, id: string) => ({ a1: 'Uma', g1: 'Staff' })[id as 'a1']) =>
    commitSegments(changes, names)
      .map(({ text }) => text)
      .join('')

  it('names the author, the fields and the object', () => {
    expect(words([change({ before: wiki, after: { ...wiki, address: 'b', ip_stack: 'dual' } })])).toBe(
      'Ada changed address and IP versions of the resource Wiki',
    )
    expect(words([change({ before: { ...wiki, is_disabled: false }, after: { ...wiki, is_disabled: true } })])).toBe(
      'Ada disabled the resource Wiki',
    )
    expect(words([change({ before: wiki, operation: 'delete', subject: null })])).toBe(
      'The service deleted the resource Wiki',
    )
    expect(words([change({ after: wiki, operation: 'insert', subject: null, run_id: 'x' })])).toBe(
      'A synchronization created the resource Wiki',
    )
  })

  it('describes members, and shortens an unknown id', () => {
    const after = { id: 'm1', group_id: 'g1', actor_id: 'a1' }
    expect(words([change({ object: 'memberships', operation: 'insert', after })])).toBe('Ada added Uma to Staff')
    const other = { ...after, actor_id: '0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee' }
    expect(words([change({ object: 'memberships', operation: 'delete', before: other })])).toBe(
      'Ada removed …eeeeeeee from Staff',
    )
  })

  it('folds entries of one commit, and only of one commit', () => {
    const of = (log_id: string, object: string) =>
      change({ log_id, object, operation: 'delete', before: { id: log_id, name: 'x' } })
    const entries = ['0', '1', '2'].map((tail) => of(`c0000000000001000000000${tail}`, 'memberships'))
    const all = [...entries, of('c00000000000010000000003', 'groups'), of('c00000000000000000000000', 'sites')]
    expect(commitsOf(all).map(({ length }) => length)).toEqual([4, 1])
    expect(words(all.slice(0, 4))).toBe('Ada deleted 3 memberships; deleted the group x')
    const many = ['a', 'b', 'c', 'd', 'e'].map((object, i) => of(`c000000000000100000000${i}0`, object))
    expect(words(many)).toMatch(/; made 2 more changes$/)
  })

  it('reads the time in a log id', () => expect(timeOf('c00000000f42400000000000')).toBe('1970-01-01T00:00:01.000Z'))
})

describe('flows', () => {
  const flow = (more: Partial<Flow>): Flow =>
    ({
      log_id: 'f1',
      role: 'responder',
      flow_start: '2026-11-29T10:00:00.000001Z',
      rx_bytes: 1n,
      tx_bytes: 1n,
      rx_packets: 1n,
      tx_packets: 1n,
      ...more,
    }) as Flow

  it('join the reports of both sides, and subtract counters exactly', () => {
    const client = flow({ role: 'initiator', rx_bytes: max, log_id: 'f2' })
    const gateway = flow({ rx_bytes: max - 1n })
    const alone = flow({ flow_start: '2026-11-29T10:00:00.000002Z', log_id: 'f3' })
    const pairs = pairsOf([client, gateway, alone])
    expect(pairs.map(({ shown }) => shown.log_id)).toEqual(['f1', 'f3'])
    expect(pairs[0]?.differences).toEqual([['rx_bytes', 1n]])
    expect(pairs[1]?.differences).toBeNull()
  })

  it('sum to columns whose values and others equal the total', () => {
    const begin = '2026-11-01T00:00:00.000Z'
    const hours = Array.from({ length: 31 * 24 }, (_, i): HourCounts => {
      const by = [{ value: `v${i % 3}`, flows: 2, rx_bytes: max, tx_bytes: 1n }]
      return {
        hour: new Date(Date.parse(begin) + i * 3_600_000).toISOString(),
        open: 0,
        flows: 3,
        rx_bytes: max,
        tx_bytes: 2n,
        by,
      }
    })
    const window = { begin, end: '2026-12-02T00:00:00.000Z' }
    const { values, buckets } = bucketsOf(hours, window, 'bytes')
    expect(values).toHaveLength(3)
    expect(buckets).toHaveLength(62)
    expect(buckets[0]?.total).toBe(12n * (max + 2n))
    expect(buckets[0]?.amounts).toEqual([...[0, 0, 0].map(() => 4n * (max + 1n)), 12n])
    expect(bucketsOf(hours, window, 'flows').buckets.reduce((sum, { total }) => sum + total, 0n)).toBe(2232n)
  })
})

describe('windows', () => {
  it('are absolute, and whole hours where the service requires them', () => {
    const now = Date.parse('2026-11-29T10:20:00Z')
    expect(lastHours(24, now)).toEqual({ begin: '2026-11-28T11:00:00.000Z', end: '2026-11-29T11:00:00.000Z' })
    expect(wholeHours({}, now)).toEqual(lastHours(24, now))
    expect(wholeHours({ begin: '2026-11-29T10:10:00Z', end: '2026-11-29T10:10:00Z' }, now)).toEqual({
      begin: '2026-11-29T10:00:00.000Z',
      end: '2026-11-29T11:00:00.000Z',
    })
    expect(wholeHours({ end: 'never' }, now).end).toBe('2026-11-29T11:00:00.000Z')
  })
})

it('opens the explorer with the circumstances of a refusal (K8.6)', () => {
  const refusal = { actor_id: 'a', client_id: 'c', resource_id: null, last_at: 't', ip: '192.0.2.1', ip_region: 'DE' }
  expect(explorerAddress(refusal as never)).toBe('/access?actor=a&client=c&at=t&ip=192.0.2.1&region=DE')
})
