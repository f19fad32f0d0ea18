import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { timestamp } from '#shared/core/clock.ts'
import { anonymousSubject } from '#shared/core/subject.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems, readEntry } from '#shared/logs/entries/log-store.ts'
import type { Item } from '#shared/table/keys.ts'
import { itemSize } from '#test/support/table/plant-items.ts'

const account = '01990000-0000-7000-8000-000000000009'
const micros = 1_790_000_000_000_000
const id = logId('change', micros, positionTail(0))
const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: null }
const stored = (entry: object) => logItems(account, 'change', id, micros, { ...entry, leaf: 3 })[0] as Item

it('returns every entry as it was recorded, small or compressed', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 3_000 })
  const snapshot = fc.option(
    fc.dictionary(
      fc.string(),
      fc.oneof(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n || 0),
        fc.boolean(),
        fc.constant(null),
      ),
    ),
  )
  const subject = fc.option(
    fc
      .record({ actor_id: fc.option(fc.uuid()), actor_name: fc.option(text), ip_lat: fc.option(fc.constant(52.5)) })
      .map((fields) => ({ ...anonymousSubject(origin), ...fields })),
  )
  fc.assert(
    fc.property(snapshot, snapshot, subject, (before, after, by) => {
      const entry = { object: 'sites', operation: 'update', before, after, subject: by }
      const common = { type: 'change', log_id: id, timestamp: timestamp(micros) }
      expect(readEntry(stored(entry))).toEqual({ ...common, ...entry })
    }),
  )
})

it('returns members that a later version adds to a subject only for entries that have them', () => {
  const later = { ...anonymousSubject(origin), later: null }
  expect(readEntry(stored({ subject: later })).subject).toHaveProperty('later', null)
  expect(readEntry(stored({ subject: anonymousSubject(origin) })).subject).not.toHaveProperty('later')
})

it('takes one write unit for a group that an administrator renames in a browser, in any script', () => {
  const at = timestamp(micros)
  const subject = {
    ...anonymousSubject({ ...origin, ip_region: 'DE', ip_city: 'Berlin', ip_lat: 52.5, ip_lon: 13.4 }),
    actor_id: randomUUID(),
    actor_type: 'account_admin_user',
    actor_email: 'ada@example.com',
    auth_provider_id: randomUUID(),
    token_id: randomUUID(),
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
  }
  for (const name of ['Engineering', 'エンジニアリング']) {
    const group = { id: randomUUID(), name, entity_type: 'group', is_managed: false, directory_id: null, idp_id: null }
    const before = { ...group, idp_provider: null, email: null, synced_at: null, inserted_at: at, updated_at: at }
    const after = { ...before, name: `${name} 2`, updated_at: timestamp(micros + 1) }
    const change = { object: 'groups', operation: 'update', before, after }
    expect(itemSize(stored({ ...change, subject: { ...subject, actor_name: name } }))).toBeLessThan(1_024)
  }
})

it('compresses by bytes, so that a text of a few hundred wide characters takes one write unit', () => {
  expect(itemSize(stored({ object: 'sites', after: { name: '語'.repeat(700) } }))).toBeLessThan(1_024)
})

it('stores the largest row before and after a change in one item', () => {
  const values = Array.from({ length: 4_000 }, () => randomBytes(24).toString('base64url'))
  const before = { id: randomUUID(), values }
  const item = stored({ object: 'policies', before, after: { ...before, name: 'renamed' } })
  expect(Buffer.byteLength(JSON.stringify(before))).toBeGreaterThan(130_000)
  expect(itemSize(item)).toBeLessThan(140_000)
  expect(readEntry(item)).toMatchObject({ before, after: { name: 'renamed' } })
})
