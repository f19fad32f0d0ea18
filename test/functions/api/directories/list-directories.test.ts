import { beforeAll, describe, expect, it } from 'vitest'
import { directoryKinds } from '#shared/domain/directories/directory.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

describe.each(directoryKinds)('GET /%s_directories (A26)', (kind) => {
  it('lists only directories of its kind, newest first, in pages', async () => {
    const ownAccount = await newAccount()
    const made = []
    for (let i = 0; i < 3; i++) made.unshift(await directoriesApi[kind].createAndGet(ownAccount))
    for (const other of directoryKinds.filter((other) => other !== kind))
      await directoriesApi[other].createAndGet(ownAccount)
    const first = (await directoriesApi[kind].list(ownAccount, { limit: '2' })).body
    expect(first.data).toEqual(made.slice(0, 2))
    expect(first.metadata).toMatchObject({ total: 3, count: 3, prev_page: null })
    const second = (await directoriesApi[kind].list(ownAccount, { limit: '2', page_cursor: first.metadata.next_page }))
      .body
    expect([second.data, second.metadata.next_page]).toEqual([made.slice(2), null])
  })

  it('filters by name, case-sensitively, and never returns a secret', async () => {
    const directory = await directoriesApi[kind].createAndGet(account)
    const found = async (name: string) => (await directoriesApi[kind].list(account, { name })).body.data
    expect(await found(directory.name)).toEqual([directory])
    expect(await found(directory.name.toUpperCase())).toEqual([])
    expect(await found('')).toEqual([])
    const ofState = async (is_disabled: string) =>
      (await directoriesApi[kind].list(account, { name: directory.name, is_disabled })).body.data
    expect([await ofState('false'), await ofState('true')]).toEqual([[directory], []])
    expect((await directoriesApi[kind].list(account, 'is_disabled=x')).body.code).toBe('invalid_filter')
    expect((await directoriesApi[kind].list(account)).text).not.toMatch(/private|service_account_key/)
  })
})
