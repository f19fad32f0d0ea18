import { expect, test } from 'vitest'
import { handler } from '#functions/api/clients/get-client.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'

test('returns every field of a client (A23.1), only to its own account', async () => {
  const world = await newAccessWorld()
  const { client } = (await world.startSession({ hostname: 'h' }, { sourceIp: '203.0.113.9' })).body.data
  const { status, body } = await world.account.call(handler, { params: { id: client.id } })
  expect(status).toBe(200)
  expect(body.data).toEqual(client)
  expect(body.data).toMatchObject({
    hostname: 'h',
    last_attested_at: null,
    last_seen_remote_ip: '203.0.113.9',
    last_seen_user_agent: 'tests',
  })
  expect(Object.keys(body.data)).toHaveLength(30)
  const stranger = await newAccount()
  expect((await stranger.call(handler, { params: { id: client.id } })).status).toBe(404)
})
