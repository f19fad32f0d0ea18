import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { handler } from '#functions/api/client-tokens/create-client-token.ts'
import { handler as getToken } from '#functions/api/client-tokens/get-client-token.ts'
import { authenticate } from '#shared/auth/authenticate.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'

const future = '2099-01-01T00:00:00Z'

describe('creating a client token (A24.1)', () => {
  let account: Awaited<ReturnType<typeof newAccount>>
  beforeAll(async () => {
    account = await newAccount()
  })
  const create = (actorId: string, body: unknown) =>
    account.call(handler, { method: 'POST', params: { actor_id: actorId }, body })

  test('returns the token once, and the token authenticates its actor', async () => {
    const actor = await insertActor(account.id)
    const { status, headers, body } = await create(actor.id, { client_token: { expires_at: future } })
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers.location).toBeUndefined()
    expect(Object.keys(body.data).sort()).toEqual([
      'actor_id',
      'expires_at',
      'id',
      'inserted_at',
      'token',
      'updated_at',
    ])
    expect(body.data).toMatchObject({ actor_id: actor.id, expires_at: '2099-01-01T00:00:00.000000Z' })
    const caller = await authenticate('client', `Bearer ${body.data.token}`)
    expect(caller).toMatchObject({ kind: 'client', actor: { id: actor.id }, token: { id: body.data.id } })
    const read = await account.call(getToken, { params: { actor_id: actor.id, id: body.data.id } })
    expect(read.body.data).toEqual({ ...body.data, token: undefined })
  })

  test('checks envelope, actor, kind of actor and fields in this order', async () => {
    const robot = await insertActor(account.id)
    const person = await insertActor(account.id, { type: 'account_user', email: 'b@example.com' })
    expect((await create(randomUUID(), {})).status).toBe(400)
    expect((await create(randomUUID(), { client_token: {} })).status).toBe(404)
    expect((await create(person.id, { client_token: {} })).body).toMatchObject({
      status: 400,
      code: 'not_a_service_account',
    })
    expect((await create(robot.id, { client_token: {} })).body.errors).toEqual({ expires_at: ["can't be blank"] })
    expect((await create(robot.id, { client_token: { expires_at: 'soon' } })).body.errors).toEqual({
      expires_at: [mustBe.timestamp],
    })
    const past = await create(robot.id, { client_token: { expires_at: '2020-01-01T00:00:00Z' } })
    expect(past.body).toMatchObject({ status: 422, errors: { expires_at: ['must be in the future'] } })
  })
})
