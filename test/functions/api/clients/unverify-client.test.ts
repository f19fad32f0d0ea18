import { expect, test } from 'vitest'
import { handler } from '#functions/api/clients/unverify-client.ts'
import { handler as verify } from '#functions/api/clients/verify-client.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

test('ends verification and authorizations (A23.2, A30)', async () => {
  const world = await newAccessWorld([{ property: 'client_verified', operator: 'is', values: ['true'] }])
  await world.addGateway()
  const { client } = (await world.startSession()).body.data
  await world.account.call(verify, { method: 'PUT', params: { id: client.id } })
  expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  const answer = await world.account.call(handler, { method: 'PUT', params: { id: client.id } })
  expect(answer).toMatchObject({ status: 200, body: { data: { verified_at: null } } })
  expect(await authorizationsOf(world.account.id, { by: 'client', id: client.id })).toEqual([])
  expect((await world.ask({ resource_id: world.resource.id })).body.code).toBe('conditions_violated')
})

test('does not change an unverified client (A2.8)', async () => {
  const world = await newAccessWorld()
  const { client } = (await world.startSession()).body.data
  const before = (await readCommits(world.account.id)).length
  const answer = await world.account.call(handler, { method: 'PUT', params: { id: client.id } })
  expect(answer.body.data).toEqual({ ...client, verified_at: null })
  expect((await readCommits(world.account.id)).length).toBe(before)
})
