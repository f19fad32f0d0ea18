import { beforeAll, describe, expect, it } from 'vitest'
import { timestamp } from '#shared/core/clock.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { presenceItemKey } from '#shared/table/keys.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { person, robot, robotRow } from '#test/support/accounts/actors.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantIds, plantItems } from '#test/support/table/plant-rows.ts'

const { create, get, list } = actorsApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('GET /actors', () => {
  it('lists actors of every type by insertion, with the fields of GET /actors/{id} (A7.2)', async () => {
    const ownAccount = await newAccount()
    const made = []
    for (const fields of [robot, person({ is_disabled: true }), { name: 'Pipeline', type: 'api_client' }]) {
      made.push((await create(ownAccount, fields)).body.data)
    }
    const { data, metadata } = (await list(ownAccount)).body
    expect(data.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([ownAccount.admin.id, ownAccount.apiClient.id])
    expect(data[1]).toEqual((await get(ownAccount, ownAccount.apiClient.id)).body.data)
    expect(data.slice(2)).toEqual(made)
    expect(metadata).toEqual({ limit: 50, next_page: null, prev_page: null, total: 5, count: 5 })
  })

  it('filters by name, email and type, individually and combined (A7.3)', async () => {
    const ownAccount = await newAccount()
    const twin = (await create(ownAccount, person({ name: 'Ada', email: 'Twin@example.com' }))).body.data
    const found = async (query: Record<string, string>) => {
      const { body } = await list(ownAccount, query)
      expect(body.metadata).toMatchObject({ total: body.data.length, count: body.data.length })
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await found({ name: 'Ada' })).toEqual([ownAccount.admin.id, twin.id])
    expect(await found({ name: 'ada' })).toEqual([])
    expect(await found({ name: '' })).toEqual([])
    expect(await found({ email: 'TWIN@EXAMPLE.COM' })).toEqual([twin.id])
    expect(await found({ email: '' })).toEqual([])
    expect(await found({ type: 'account_user' })).toEqual([twin.id])
    expect(await found({ name: 'Ada', type: 'account_admin_user' })).toEqual([ownAccount.admin.id])
    expect(await found({ name: 'Ada', type: 'account_user', email: 'ada@example.com' })).toEqual([])
  })

  it('shows when each actor was last seen, and reads these times once per page', async () => {
    const ownAccount = await newAccount()
    const robots = await plantIds<ActorRow>(ownAccount.id, actors, 60, robotRow, ['type'])
    const seenAt = (i: number) => (i % 3 === 0 ? null : timestamp(1_700_000_000_000_000 + i))
    const seen = robots.flatMap((id, i) => (seenAt(i) ? [{ id, last_seen_at: seenAt(i) }] : []))
    await plantItems(
      seen.map(({ id, last_seen_at }) => ({
        ...presenceItemKey(ownAccount.id, 'actors', id),
        kind: 'presence',
        last_seen_at,
      })),
    )
    const listSeenTimes = async (query: Record<string, string>) => {
      const { body } = await list(ownAccount, query)
      const shown = body.data.filter(({ id }: { id: string }) => robots.includes(id))
      return { body, shown: shown.map(({ last_seen_at }: { last_seen_at: string | null }) => last_seen_at) }
    }
    const all = robots.map((_, i) => seenAt(i))
    expect((await listSeenTimes({ limit: '100' })).shown).toEqual(all)
    expect((await listSeenTimes({ limit: '100', type: 'service_account' })).shown).toEqual(all)
    const first = await listSeenTimes({ limit: '20' })
    const second = await listSeenTimes({ limit: '20', page_cursor: first.body.metadata.next_page })
    expect([...first.shown, ...second.shown]).toEqual(all.slice(0, 38))
    expect((await listSeenTimes({ limit: '20', page_cursor: second.body.metadata.prev_page })).shown).toEqual(
      first.shown,
    )
    expect((await measure(() => list(ownAccount, { limit: '100' }))).reads).toBeLessThanOrEqual(15)
  })

  it.each(['type=admin', 'type=', 'name=a&name=b', 'email[]=a'])('refuses ?%s', async (query) => {
    const { status, body } = await list(account, query)
    const detail = `Invalid value for filter ${/^[a-z]+/.exec(query)?.[0]}.`
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
  })
})
