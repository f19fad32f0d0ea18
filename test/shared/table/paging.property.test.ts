import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { handler as createResource } from '#functions/api/resources/create-resource.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { newAccount } from '#test/support/accounts/account.ts'

type Row = { id: string; name: string }
/** Changes between two pages: names of rows to insert, and indexes of initial rows to delete. */
type Step = { inserts: string[]; deletes: number[] }

const names = ['even', 'odd']
const steps = fc.array(
  fc.record({
    inserts: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
    deletes: fc.array(fc.nat(11), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 4 },
)

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

async function newSite(): Promise<string> {
  const { body } = await account.call(createSite, { method: 'POST', body: { site: { name: randomUUID() } } })
  return body.data.id
}

async function insert(site_id: string, name: string): Promise<Row> {
  const resource = { name, type: 'dns', address: 'wiki.example.com', site_id }
  const { status, body } = await account.call(createResource, { method: 'POST', body: { resource } })
  expect(status).toBe(201)
  return body.data
}

/** Reads all pages in one direction, and calls `between` before each further page. `onwards` names the cursor to follow. */
async function walk(
  query: Record<string, string>,
  onwards: 'next_page' | 'prev_page',
  between: (page: number) => Promise<void>,
  cursor?: string,
): Promise<Row[][]> {
  const pages: Row[][] = []
  for (let at = cursor; pages.length === 0 || at; ) {
    const { status, body } = await account.call(listResources, {
      path: '/resources',
      query: { ...query, ...(at && { page_cursor: at }) },
    })
    expect(status).toBe(200)
    pages.push(body.data)
    at = body.metadata[onwards]
    await between(pages.length - 1)
  }
  return pages
}

async function lastPage(query: Record<string, string>): Promise<{ rows: Row[]; before: string | null }> {
  let metadata: { next_page: string | null; prev_page: string | null } = { next_page: null, prev_page: null }
  let rows: Row[] = []
  do {
    const { body } = await account.call(listResources, {
      path: '/resources',
      query: { ...query, ...(metadata.next_page && { page_cursor: metadata.next_page }) },
    })
    metadata = body.metadata
    rows = body.data
  } while (metadata.next_page)
  return { rows, before: metadata.prev_page }
}

async function checkWalk(
  selects: 'site' | 'site and name',
  direction: 'forward' | 'backward',
  limit: number,
  plan: Step[],
) {
  const site_id = await newSite()
  const isSelected = ({ name }: Row) => selects === 'site' || name === 'even'
  const start: Row[] = []
  for (let i = 0; i < 12; i++) start.push(await insert(site_id, names[i % 2] as string))
  const deleted = new Set<string>()
  const between = async (page: number) => {
    const { inserts, deletes } = plan[page] ?? { inserts: [], deletes: [] }
    for (const name of inserts) await insert(site_id, name)
    for (const index of deletes) {
      const { id } = start[index] as Row
      if (deleted.has(id)) continue
      await account.call(deleteResource, { method: 'DELETE', params: { id } })
      deleted.add(id)
    }
  }
  const query = { site_id, limit: String(limit), ...(selects === 'site and name' && { name: 'even' }) }

  let listed: Row[]
  if (direction === 'forward') listed = (await walk(query, 'next_page', between)).flat()
  else {
    const last = await lastPage(query)
    const pages = last.before ? await walk(query, 'prev_page', between, last.before) : []
    listed = [...pages.toReversed().flat(), ...last.rows]
  }

  const ids = listed.map(({ id }) => id)
  expect(new Set(ids).size, 'no row twice').toBe(ids.length)
  expect(ids, 'in the order of the list').toEqual(ids.toSorted())
  const untouched = start.filter((row) => isSelected(row) && !deleted.has(row.id)).map(({ id }) => id)
  expect(
    ids.filter((id) => untouched.includes(id)),
    'every untouched row',
  ).toEqual(untouched)
  expect(listed.every(isSelected)).toBe(true)

  const { body } = await account.call(listResources, { path: '/resources', query: { ...query, limit: '100' } })
  expect(body.metadata.total, 'an exact total').toBe(body.data.length)
}

it.each(['site', 'site and name'] as const)(
  'pages of the resources of a %s never repeat or skip an unchanged row',
  async (selects) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('forward', 'backward'),
        fc.integer({ min: 1, max: 5 }),
        steps,
        (direction, limit, plan) => checkWalk(selects, direction, limit, plan),
      ),
      { numRuns: 6 },
    )
  },
  120_000,
)
