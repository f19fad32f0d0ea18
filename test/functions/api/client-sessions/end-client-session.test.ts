import { expect, test } from 'vitest'
import { handler } from '#functions/api/client-sessions/end-client-session.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call } from '#test/support/accounts/account.ts'

test('ending a session ends the authorizations of its client (P5.5(3))', async () => {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const session = { public_key: publicKey() }
  const { id } = (await world.startSession(session)).body.data
  expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  const end = () => call(handler, { method: 'DELETE', token: world.token.token, params: { id } })
  expect(await end()).toMatchObject({ status: 200, body: { data: { id } } })
  expect(await authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })).toEqual([])
  expect((await end()).status).toBe(404)
  expect((await world.ask({ resource_id: world.resource.id })).body.code).toBe('no_session')

  await world.startSession(session)
  expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
})
