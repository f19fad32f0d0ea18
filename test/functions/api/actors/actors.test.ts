import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { newAccount } from '#test/support/account.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const create = (actor: object) => account.call(createActor, { method: 'POST', body: { actor } })
const update = (id: string, actor: object) =>
  account.call(updateActor, { method: 'PATCH', params: { id }, body: { actor } })
const blank = "can't be blank"

describe('POST /actors (A12.2)', () => {
  it.each([
    [{}, { name: [blank], type: [blank] }],
    [{ name: 'x', type: 'robot' }, { type: ['is invalid'] }],
    [
      { name: 'x', type: 'account_user' },
      { email: [blank], type: ['is invalid'] },
    ],
    [{ name: 'x', type: 'account_user', email: 'nobody' }, { email: ['is an invalid email address'] }],
    [
      { name: 'x', type: 'api_client', email: 'a@example.com' },
      { email: ['must be blank'], type: ['is invalid'] },
    ],
    [{ name: 'x', type: 'account_user', email: 'ADA@example.com' }, { email: ['has already been taken'] }],
    [{ name: 'x', type: 'service_account', is_disabled: 2 }, { is_disabled: ['is invalid'] }],
  ])('refuses %j', async (actor, errors) => {
    const answer = await create(actor)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('keeps the local part of an email and folds its host', async () => {
    const answer = await create({ name: 'Linus', type: 'account_user', email: ' Linus@EXÄMPLE.com ' })
    expect(answer.body.data).toMatchObject({
      email: 'Linus@xn--exmple-cua.com',
      is_disabled: false,
      last_seen_at: null,
    })
    const found = await account.call(listActors, { query: { email: 'linus@xn--exmple-cua.com' } })
    expect(found.body.data.map((actor: { id: string }) => actor.id)).toEqual([answer.body.data.id])
  })

  it('tests the limit of the type before the fields (A11)', async () => {
    const limited = await newAccount({ limits: { service_accounts_count: 0 } })
    const answer = await limited.call(createActor, { method: 'POST', body: { actor: { type: 'service_account' } } })
    expect([answer.status, answer.body.limit]).toEqual([403, 'service_accounts'])
  })
})

describe('PATCH and DELETE /actors/{id}', () => {
  it('keeps people people, and machines what they are (A12.3)', async () => {
    const machine = (await create({ name: 'CI', type: 'service_account' })).body.data
    const change = async (id: string, type: string) => (await update(id, { type })).body.errors
    expect(await change(machine.id, 'api_client')).toEqual({
      type: ['service accounts and API clients cannot change their type'],
    })
    const person = (await create({ name: 'Eve', type: 'account_user', email: 'eve@example.com' })).body.data
    expect(await change(person.id, 'service_account')).toEqual({
      type: ['users and admins cannot become service accounts or API clients'],
    })
    expect(await change(person.id, 'account_admin_user')).toBeUndefined()
  })

  it('writes nothing for a change that changes nothing (A2.8)', async () => {
    const actor = (await create({ name: 'Same', type: 'service_account' })).body.data
    expect((await update(actor.id, { name: 'Same', is_disabled: 'false' })).body.data).toEqual(actor)
  })

  it('keeps the acting actor and the last administrator (A12.4)', async () => {
    const own = await newAccount()
    const call = (id: string, actor?: object) =>
      actor
        ? own.call(updateActor, { method: 'PATCH', params: { id }, body: { actor } })
        : own.call(deleteActor, { method: 'DELETE', params: { id } })
    const codes = await Promise.all([
      call(own.apiClient.id),
      call(own.apiClient.id, { is_disabled: true }),
      call(own.admin.id),
      call(own.admin.id, { type: 'account_user' }),
    ])
    expect(codes.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'own_actor'],
      [403, 'own_actor'],
      [403, 'last_admin'],
      [403, 'last_admin'],
    ])
    expect((await call(own.apiClient.id, { name: 'Renamed' })).status).toBe(200)
  })
})
