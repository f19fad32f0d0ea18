import { beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryKind, directories, directoryKinds } from '#shared/domain/directories/directory.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { directoriesApi, storedDirectory } from '#test/support/sync/directories.ts'

const common = [
  ...['id', 'account_id', 'inserted_at', 'updated_at', 'name', 'is_disabled', 'disabled_reason', 'synced_at'],
  ...['error', 'error_count', 'error_emailed_at', 'domains', 'matches_administrators'],
]
/** Fields that each kind of directory has in addition to the common fields (A26.1). */
const kindFields: Record<DirectoryKind, string[]> = {
  suite: ['domain', 'impersonation_email', 'group_sync_mode', 'orgunit_sync_enabled'],
  tenant: ['client_id', 'tenant_id', 'email_field', 'sync_all_groups'],
  idp: ['client_id', 'idp_domain', 'kid'],
}

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

describe.each(directoryKinds)('GET /%s_directories/{id} (A26.1)', (kind) => {
  it('shows exactly the fields of its kind', async () => {
    const directory = await directoriesApi[kind].createAndGet(account)
    const { status, body } = await directoriesApi[kind].get(account, directory.id.toUpperCase())
    expect([status, body.data]).toEqual([200, directory])
    expect(Object.keys(body.data).sort()).toEqual([...common, ...kindFields[kind]].sort())
  })

  it('shows the results of its runs', async () => {
    const { id } = await directoriesApi[kind].createAndGet(account)
    const state = { synced_at: '2026-01-01T00:00:00.000000Z', error: 'no answer', error_count: 7 }
    await updateRow(account.id, directories[kind], await storedDirectory(account, kind, id), state)
    expect((await directoriesApi[kind].get(account, id)).body.data).toMatchObject(state)
  })

  it('returns 404 for a directory of another kind', async () => {
    const { id } = await directoriesApi[kind].createAndGet(account)
    for (const other of directoryKinds.filter((other) => other !== kind)) {
      expect((await directoriesApi[other].get(account, id)).status).toBe(404)
    }
  })
})
