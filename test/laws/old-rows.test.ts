import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { type Entity, entity, itemRow, type Row, rowItem } from '#shared/table/entity.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { loadEntities } from '#test/support/operations/entities.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { isReleased } from '#test/support/run/is-released.ts'
import { ageRows } from '#test/support/table/age-rows.ts'

/** Laws of stored rows: the service reads rows written by an older version in their current form (docs/evolution.md). */

/** Stored rows by collection: one row per earlier version, oldest first. */
const earlier: Record<string, Record<string, unknown>[]> = {}

const entries = await loadEntries()
const entities = await loadEntities()

let world: Awaited<ReturnType<typeof sampleRequests>>
let stored: Set<string>
beforeAll(async () => {
  stored = ageRows(entities).names
  world = await sampleRequests()
})
afterAll(() => {
  vi.restoreAllMocks()
})

it.each(entries)('$name succeeds on rows without their optional fields', async ({ name, operation }) => {
  const request = (await world.samples[name]?.()) ?? {}
  const { status, text } = await world.send(name, request)
  expect(status, text).toBe(operation.status)
})

it('returns whole objects in the change log of these requests', async () => {
  await writeChangeLogOf(world.account.id)
  let logged = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: Record<string, string> = { type: 'change', limit: '1000', ...(cursor && { page_cursor: cursor }) }
    const { status, body } = await world.send('GET /logs', { query })
    expect(status).toBe(200)
    for (const { object, before, after } of body.data) {
      const optional = Object.keys(entities.get(object)?.defaults ?? {})
      for (const shown of [before, after])
        if (shown) expect(Object.keys(shown), object).toEqual(expect.arrayContaining(optional))
      logged++
    }
    cursor = body.metadata.next_page
  }
  expect(logged).toBeGreaterThan(entries.length)
})

it('has stored rows of every kind that a request can create', () => {
  expect([...entities.keys()].filter((name) => !stored.has(name)).sort()).toEqual([])
})

it('detects a field without a default', async () => {
  const { defaults } = actors
  const request = await world.samples['GET /actors/{id}']?.()
  try {
    actors.defaults = {}
    expect((await world.send('GET /actors/{id}', request)).status).toBe(500)
  } finally {
    actors.defaults = defaults
  }
  expect((await world.send('GET /actors/{id}', request)).status).toBe(200)
})

it('has a row of every earlier version, which the current code reads', () => {
  for (const [name, { upgrades }] of entities) expect(earlier[name] ?? [], name).toHaveLength(upgrades.length)
  for (const [name, rows] of Object.entries(earlier)) {
    const whole = entities.get(name) as Entity
    for (const row of rows)
      expect(Object.keys(itemRow(whole, row))).toEqual(expect.arrayContaining(Object.keys(whole.defaults)))
  }
})

/** Returns the names of collections that define upgrades, although no version of the service has been released. */
const early = (all: Iterable<Entity>, released: boolean): string[] =>
  [...all].filter(({ upgrades }) => !released && upgrades.length > 0).map(({ name }) => name)

it('has no upgrades of rows before v1.0.0', () => {
  expect(early(entities.values(), isReleased())).toEqual([])
})

it.each([
  ['0.9.12', ['lamps']],
  ['1.0.0', []],
])('detects premature upgrades of rows of version %s', (version, found) => {
  expect(early([actors, lamps] as Entity[], isReleased(version))).toEqual(found)
})

type Lamp = Row & { label: string; watts: number; shade: string | null }
const lamps = entity<Lamp>({
  name: 'lamps',
  defaults: { shade: null },
  upgrades: [
    ({ name, ...row }) => ({ label: name, ...row }),
    ({ watts, ...row }) => ({ ...row, watts: Number(watts) }),
  ],
})
const today = { id: '1', inserted_at: 'then', updated_at: 'then', label: 'desk', watts: 40, shade: null }

it.each([
  ['without a version', { name: 'desk', watts: '40' }],
  ['of version 1', { version: 1, name: 'desk', watts: '40' }],
  ['of version 2', { version: 2, label: 'desk', watts: '40' }],
  ['of today', { version: 3, label: 'desk', watts: 40, shade: null }],
  ['of the current version, rewritten by an older version', { version: 1, label: 'desk', watts: 40 }],
])('reads a row %s in its current form', (_, fields) => {
  expect(itemRow(lamps, { pk: 'a', sk: '1', kind: 'entity', ...today, name: undefined, ...fields })).toMatchObject(
    today,
  )
})

it('writes a row in its version, and keeps fields of a later version', () => {
  const later = { ...today, colour: 'red' }
  const item = rowItem(lamps, 'account', itemRow(lamps, { pk: 'a', sk: '1', kind: 'entity', version: 4, ...later }))
  expect(item).toMatchObject({ version: 3, colour: 'red' })
})

it('has a typed default for every nullable field', () => {
  // @ts-expect-error shade can be null and has no default
  const dark = entity<Lamp>({ name: 'lamps' })
  const actor: Partial<ActorRow> = actors.defaults
  expect([dark.defaults, actor.email]).toEqual([{}, null])
})
