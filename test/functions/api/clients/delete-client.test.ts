import { expect, test } from 'vitest'
import { handler as renew } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler } from '#functions/api/clients/delete-client.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { call } from '#test/support/accounts/account.ts'

test('deletes a client with its session and authorizations; the device can register again (A23.2)', async () => {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const { id, client } = (await world.startSession()).body.data
  await world.ask({ resource_id: world.resource.id })
  const deleted = await world.account.call(handler, { params: { id: client.id } })
  expect(deleted).toMatchObject({ status: 200, body: { data: { id: client.id, online: false } } })
  expect((await world.account.call(handler, { params: { id: client.id } })).status).toBe(404)
  expect((await call(renew, { method: 'PUT', token: world.token.token, params: { id } })).status).toBe(404)
  expect(await authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })).toEqual([])
  const again = (await world.startSession()).body.data.client
  expect(again.id).not.toBe(client.id)
})
