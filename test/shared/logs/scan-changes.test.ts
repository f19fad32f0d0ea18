import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { readPages } from '#test/support/logs/log-pages.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantIntoFile } from '#test/support/table/plant-items.ts'

const day = 86_400_000_000
const actor_id = randomUUID()

type Planted = { at: number; position?: number; operation?: string; name?: string; id?: string }

/** Writes change entries of groups by one actor, and returns the account and the log ids. */
function plant(entries: Planted[], inserted = clock.now() - 40 * day) {
  const account = { id: randomUUID(), inserted_at: timestamp(inserted) } as AccountRow
  const items = entries.map(({ at, position = 0, operation = 'update', name = 'Staff', id = randomUUID() }) =>
    logItems(account.id, 'change', logId('change', at, positionTail(position)), at, {
      ...{ object: 'groups', operation, before: null, after: { id, name } },
      subject: { actor_id, actor_email: 'ada@example.com' },
    }),
  )
  plantIntoFile(items.flat())
  return { account, ids: items.map(([entry]) => entry?.sk ?? '') }
}

/** Lists pages until the last one, and checks the read units of each. */
async function listBounded(account: AccountRow, filters: Record<string, string>) {
  const pages: Awaited<ReturnType<typeof listLogs>>[] = []
  for (let next: string | null = ''; next !== null; next = pages.at(-1)?.metadata.next_page ?? null) {
    const query = new URLSearchParams({ type: 'change', ...filters, ...(next && { page_cursor: next }) })
    const { reads, trips } = await measure(async () => pages.push(await listLogs(account, query)))
    // Leaves ten units of the bound for authentication (K11.G7(4)).
    expect(reads).toBeLessThanOrEqual(390)
    expect(trips).toBeLessThanOrEqual(400)
  }
  return pages.map(({ data, metadata }) => ({ ids: data.map(({ log_id }) => log_id), until: metadata.read_until }))
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('a page with filters of changes', () => {
  it('ends after 2,000 entries, even inside a commit, and the next page resumes there', async () => {
    const noon = Math.floor(clock.now() / day - 2) * day + day / 2
    // Two commits of 1,200 entries, of which one entry in each matches.
    const entries = Array.from({ length: 2_400 }, (_, i) => ({
      at: noon + Math.floor(i / 1_200),
      position: i % 1_200,
      operation: i % 1_200 === 3 ? 'delete' : 'update',
    }))
    const { account, ids } = plant(entries)
    expect(await listBounded(account, { operation: 'delete' })).toEqual([
      { ids: [ids[1_203]], until: timestamp(noon) },
      { ids: [ids[3]], until: null },
    ])
    expect(await listBounded(account, { object: 'sites' })).toEqual([
      { ids: [], until: timestamp(noon) },
      { ids: [], until: null },
    ])
    // A page read backwards ends early too, after 2,000 entries from its cursor.
    const { backward } = await readPages(account, { type: 'change', operation: 'delete' })
    expect(backward.map((page) => [page.ids, page.read_until])).toEqual([
      [[], null],
      [[ids[1_203]], timestamp(noon + 1)],
    ])
  })

  it.each([
    ['all entries', {}],
    ['the pointers of an actor', { actor_id }],
  ])('reads at most 400 read units of %s, also if they are as large as entries can be', async (_what, filters) => {
    const at = clock.now() - 3 * day
    // Random text of 260 KB cannot be compressed below 190 KB.
    const name = randomBytes(195_000).toString('base64')
    const { account, ids } = plant([
      ...Array.from({ length: 60 }, (_, i) => ({ at: at + i, name: i % 3 === 0 ? 'Staff' : name })),
      ...Array.from({ length: 900 }, (_, i) => ({ at: at + 100 + i })),
      { at: at - 1, operation: 'delete' },
    ])
    const pages = await listBounded(account, { operation: 'delete', ...filters })
    expect(pages.flatMap((page) => page.ids)).toEqual([ids.at(-1)])
    expect(pages.length).toBeGreaterThan(2)
  })

  it('reads entries of the last minute exactly, and each entry once', async () => {
    const now = clock.now()
    vi.spyOn(clock, 'now').mockReturnValue(now)
    const ages = [0, 1, 59_999_999, 60_000_000, 60_000_001, 2 * day]
    const { account, ids } = plant(ages.map((age) => ({ at: now - age })))
    expect(await listBounded(account, { object: 'groups' })).toEqual([{ ids, until: null }])
    const { forward, backward } = await readPages(account, { type: 'change', object: 'groups', limit: '1' })
    expect(forward.map((page) => page.ids)).toEqual(ids.map((id) => [id]))
    expect(backward.map((page) => page.ids)).toEqual(ids.slice(0, -1).map((id) => [id]))
  })

  it('passes years without entries', async () => {
    vi.stubEnv('LOG_RETENTION_DAYS', '1200')
    const now = clock.now()
    const { account, ids } = plant([{ at: now - 1_000 * day }, { at: now - 5 * day }], now - 1_100 * day)
    const begin = timestamp(now - 1_050 * day)
    const pages = await listBounded(account, { object: 'groups', begin })
    expect(pages.flatMap((page) => page.ids)).toEqual([ids[1], ids[0]])
    expect(pages.map(({ until }) => until).at(1)).toMatch(/T00:00:00.000000Z$/)
  })
})
