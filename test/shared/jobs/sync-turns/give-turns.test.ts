import { afterAll, beforeAll, expect, it } from 'vitest'
import { directories } from '#shared/domain/directories/directory.ts'
import { type SyncTurn, syncTurnKey, syncTurnsPartition } from '#shared/domain/sync/sync-turn.ts'
import { searchKey } from '#shared/jobs/seal/find-accounts.ts'
import { giveTurns } from '#shared/jobs/sync-turns/give-turns.ts'
import { sealedAccountItem } from '#shared/seal/log/sealed-accounts.ts'
import { queryItems } from '#shared/table/read.ts'
import { put, remove, writeTogether } from '#shared/table/write-together.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let own: Awaited<ReturnType<typeof useOwnTable>>
beforeAll(async () => {
  own = await useOwnTable()
})
afterAll(() => own.end())

const turns = () => queryItems<SyncTurn>(syncTurnsPartition)

it('gives what is older than turns one at its next slot, once, and when all accounts are known', async () => {
  const account = await newAccount({ features: { idp_sync: true, device_posture: true } })
  const [old, recent, disabled] = [
    await directoriesApi.idp.made(account),
    await directoriesApi.suite.made(account),
    await directoriesApi.tenant.made(account),
  ]
  const provider = (await postureProvidersApi.create(account, mdmFields())).body.data
  await directoriesApi.tenant.update(account, disabled.id, { is_disabled: true })
  const key = (collection: string, source_id: string) => syncTurnKey({ account_id: account.id, collection, source_id })
  // As a version before turns has left them.
  await writeTogether([
    remove(key(directories.idp.name, old.id)),
    remove(key(directories.tenant.name, disabled.id)),
    remove(key('mdm_posture_providers', provider.id)),
  ])
  const [kept] = await turns()
  await giveTurns()
  expect(await turns()).toEqual([kept])
  await writeTogether([put(sealedAccountItem(account.id)), put({ ...searchKey, kind: 'seal_search', done: true })])
  await giveTurns()
  const given = await turns()
  expect(given.map(({ source_id }) => source_id).sort()).toEqual([old.id, recent.id, provider.id].sort())
  expect(given).toContainEqual(kept)
  const now = new Date().toISOString()
  for (const { source_id, next_at } of given) expect(next_at > now).toBe(source_id !== recent.id)

  await writeTogether([remove(key(directories.idp.name, old.id))])
  await giveTurns()
  expect(await turns()).toHaveLength(2)
})
