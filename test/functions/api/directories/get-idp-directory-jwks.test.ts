import { beforeAll, expect, it } from 'vitest'
import { handler } from '#functions/api/directories/get-idp-directory-jwks.ts'
import { serviceUniqueKey } from '#shared/domain/accounts/account.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { getItem } from '#shared/table/read.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { insertRow } from '#test/support/accounts/rows.ts'
import { directoriesApi, storedDirectory } from '#test/support/sync/directories.ts'

const api = directoriesApi.idp
const jwks = (id: string) => call(handler, { method: 'GET', path: `/idp_directories/${id}/jwks`, params: { id } })

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

it('returns the key from the creation of the directory, and the new key after a rotation (I4.2)', async () => {
  const { public_jwk, id } = (await api.create(account)).body.data
  expect(await jwks(id)).toMatchObject({ status: 200, body: { keys: [public_jwk] } })
  expect((await jwks(id.toUpperCase())).status).toBe(200)
  const { public_jwk: rotated } = (await api.update(account, id, { rotate_key: true })).body.data
  expect((await jwks(id)).body).toEqual({ keys: [rotated] })
  expect(rotated.kid).not.toBe(public_jwk.kid)
})

it('returns no private part', async () => {
  const { id } = await api.createAndGet(account)
  const [key] = (await jwks(id)).body.keys
  expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
})

it('returns 404 for a deleted directory, one of another kind, and an unknown one', async () => {
  const { id } = await api.createAndGet(account)
  await api.remove(account, id)
  expect(await getItem(serviceUniqueKey('idp_directory', id))).toBeUndefined()
  const { id: other } = await directoriesApi.suite.createAndGet(account)
  for (const unknown of [id, other, account.id]) expect((await jwks(unknown)).status).toBe(404)
  for (const noId of ['none', `${id}0`]) expect((await jwks(noId)).status).toBe(400)
})

it('a directory from before key sets has one from its next rotation on', async () => {
  const { id: model } = await api.createAndGet(account)
  const { id: _, ...fields } = await storedDirectory(account, 'idp', model)
  const old = await insertRow(account.id, directories.idp, { ...fields, name: 'Old', client_id: 'old' })
  expect((await jwks(old.id)).status).toBe(404)
  const { public_jwk } = (await api.update(account, old.id, { rotate_key: true })).body.data
  expect((await jwks(old.id)).body.keys).toEqual([public_jwk])
})
