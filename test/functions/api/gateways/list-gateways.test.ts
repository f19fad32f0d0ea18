import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listGateways } from '#functions/api/gateways/list-gateways.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'

let account: Account
let site: Awaited<ReturnType<typeof newSite>>
// biome-ignore lint/suspicious/noExplicitAny: bodies
let created: any[]
beforeAll(async () => {
  account = await newAccount()
  site = await newSite(account)
  created = []
  for (const name of ['a', 'b', 'a']) created.push(await site.gateway({ gateway: { name } }))
  await (await newSite(account)).gateway({ gateway: { name: 'a' } })
})

const list = (query: Record<string, string> | string = {}, params = site.params) =>
  account.call(listGateways, { params, query })
const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

describe('GET /sites/{site_id}/gateways', () => {
  it('pages through the gateways of its site only, oldest first', async () => {
    const first = await list({ limit: '2' })
    expect(first.body.metadata).toMatchObject({ total: 3, count: 3, prev_page: null })
    const second = await list({ limit: '2', page_cursor: first.body.metadata.next_page })
    expect([...ids(first), ...ids(second)]).toEqual(created.map(({ id }) => id))
    expect(second.body.metadata.next_page).toBeNull()
  })

  it('shows which gateways are online', async () => {
    await start(created[1].token)
    expect((await list()).body.data.map(({ online }: { online: boolean }) => online)).toEqual([false, true, false])
  })

  it('filters by name and by canonical addresses within the site', async () => {
    const [a, b, c] = created
    expect(ids(await list({ name: 'a' }))).toEqual([a.id, c.id])
    expect(ids(await list({ name: '' }))).toEqual([])
    expect(ids(await list({ ipv4: b.ipv4 }))).toEqual([b.id])
    expect(ids(await list({ ipv6: b.ipv6.toUpperCase().replace('::', ':0:0::') }))).toEqual([b.id])
    const both = await list({ name: 'a', ipv4: c.ipv4 })
    expect([ids(both), both.body.metadata.total]).toEqual([[c.id], 1])
    expect(ids(await list({ name: 'b', ipv4: c.ipv4 }))).toEqual([])
  })

  it.each([
    ['ipv4=x'],
    ['ipv4='],
    ['ipv4=01.2.3.4'],
    ['ipv4=fd00::1'],
    ['ipv6=100.64.0.1'],
    ['ipv6=fd00::1/64'],
    ['ipv6=fe80::1%251'],
  ])('refuses ?%s', async (query) => {
    const answer = await list(query)
    const name = query.slice(0, 4)
    expect(answer.body).toMatchObject({
      status: 400,
      code: 'invalid_filter',
      detail: `Invalid value for filter ${name}.`,
    })
  })

  it('checks the cursor before the site', async () => {
    const unknown = { site_id: randomUUID() }
    expect((await list({}, unknown)).status).toBe(404)
    expect((await list({ page_cursor: 'x' }, unknown)).body.code).toBe('invalid_page_cursor')
  })
})
