import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as getActor } from '#functions/api/actors/get-actor.ts'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { newAccount } from '#test/support/account.ts'
import { commitsOf } from '#test/support/commit-stream.ts'
import { insertActor } from '#test/support/rows.ts'

type Account = Awaited<ReturnType<typeof newAccount>>
type Fields = Record<string, unknown>

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const create = (actor: object, by = account) => by.call(createActor, { method: 'POST', body: { actor } })
const update = (id: string, actor: object, by = account) =>
  by.call(updateActor, { method: 'PATCH', params: { id }, body: { actor } })
const remove = (id: string, by = account) => by.call(deleteActor, { method: 'DELETE', params: { id } })
const blank = "can't be blank"
let count = 0
const person = (fields: Fields = {}) => ({
  name: 'Grace',
  type: 'account_user',
  email: `grace-${count++}@example.com`,
  ...fields,
})
const robot = { name: 'Robot', type: 'service_account' }

describe('POST /actors (A12.2)', () => {
  it('creates an actor with its defaults, and exactly these fields', async () => {
    const answer = await create({ name: ' Grace ', type: 'account_user', email: 'grace@example.com' })
    const { id, inserted_at } = answer.body.data
    expect([answer.status, answer.headers.location]).toEqual([201, `/actors/${id}`])
    expect(answer.body.data).toEqual({
      id,
      name: 'Grace',
      email: 'grace@example.com',
      type: 'account_user',
      allow_email_otp_sign_in: false,
      created_by_directory_id: null,
      is_disabled: false,
      last_seen_at: null,
      inserted_at,
      updated_at: inserted_at,
    })
    expect((await account.call(getActor, { params: { id } })).body).toEqual(answer.body)
  })

  it.each<[Fields, Record<string, string[]>]>([
    [{}, { name: [blank], type: [blank] }],
    [{ ...robot, name: ' ' }, { name: [blank] }],
    [{ ...robot, name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
    [{ ...robot, name: 5 }, { name: ['is invalid'] }],
    [{ name: 'x', type: 'robot' }, { type: ['is invalid'] }],
    [
      { name: 'x', type: 'account_user' },
      { email: [blank], type: ['is invalid'] },
    ],
    [
      { name: 'x', type: 'account_admin_user', email: '' },
      { email: [blank], type: ['is invalid'] },
    ],
    ...['nobody', 'a@b', '@example.com', 'a b@example.com', 'a@exam ple.com', 'a@example.', 'a@.example.com'].map(
      (email): [Fields, Record<string, string[]>] => [person({ email }), { email: ['is an invalid email address'] }],
    ),
    [person({ email: 7 }), { email: ['is invalid'] }],
    [person({ email: `${'x'.repeat(149)}@example.com` }), { email: ['should be at most 160 character(s)'] }],
    [
      { name: 'x', type: 'api_client', email: 'a@example.com' },
      { email: ['must be blank'], type: ['is invalid'] },
    ],
    [
      { ...robot, email: 'nobody' },
      { email: ['must be blank'], type: ['is invalid'] },
    ],
    [person({ email: 'ADA@example.com' }), { email: ['has already been taken'] }],
    [{ ...robot, is_disabled: 2 }, { is_disabled: ['is invalid'] }],
    [{ ...robot, is_disabled: null }, { is_disabled: [blank] }],
    [{ ...robot, allow_email_otp_sign_in: 'yes' }, { allow_email_otp_sign_in: ['is invalid'] }],
  ])('refuses %j', async (actor, errors) => {
    const answer = await create(actor)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('takes a blank email of a machine for none, and booleans as text', async () => {
    const { data } = (await create({ ...robot, email: ' ', is_disabled: '1', allow_email_otp_sign_in: 'false' })).body
    expect(data).toMatchObject({ email: null, is_disabled: true, allow_email_otp_sign_in: false })
  })

  it('keeps the local part of an email and folds its host', async () => {
    const answer = await create(person({ email: ' Linus@EXÄMPLE.com ' }))
    expect(answer.body.data.email).toBe('Linus@xn--exmple-cua.com')
    const found = await account.call(listActors, { query: { email: 'linus@xn--exmple-cua.com' } })
    expect(found.body.data.map((actor: { id: string }) => actor.id)).toEqual([answer.body.data.id])
  })

  it('gives an email to exactly one of many that want it at once', async () => {
    const answers = await Promise.all(
      ['one@example.com', 'ONE@example.com', 'One@Example.com'].map((email) => create(person({ email }))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
  })
})

describe('limits (A11)', () => {
  const refused = (answer: { status: number; body: Fields }) => [answer.status, answer.body.code, answer.body.limit]
  const full = { users_count: 1, service_accounts_count: 0, account_admin_users_count: 1, api_clients_count: 1 }

  it('are tested before the fields; a missing or unknown type tests none', async () => {
    const limited = await newAccount({ limits: full })
    const answers = await Promise.all(
      ['account_user', 'account_admin_user', 'service_account', 'api_client'].map((type) => create({ type }, limited)),
    )
    expect(answers.map(refused)).toEqual([
      [403, 'limit_reached', 'users'],
      [403, 'limit_reached', 'users'],
      [403, 'limit_reached', 'service_accounts'],
      [403, 'limit_reached', 'api_clients'],
    ])
    for (const actor of [{}, { type: 'robot' }, { type: null }]) {
      expect((await create(actor, limited)).status).toBe(422)
    }
  })

  it('of admins counts beside that of users, and monthly active users stand in for users', async () => {
    const admins = await newAccount({ limits: { account_admin_users_count: 1 } })
    expect(refused(await create(person({ type: 'account_admin_user' }), admins))).toEqual([
      403,
      'limit_reached',
      'account_admin_users',
    ])
    const monthly = await newAccount({ limits: { monthly_active_users_count: 0, users_count: 9 } })
    expect(refused(await create(person(), monthly))).toEqual([403, 'limit_reached', 'monthly_active_users'])
    const roomy = await newAccount({ limits: { monthly_active_users_count: 1, users_count: 0 } })
    expect((await create(person(), roomy)).status).toBe(201)
  })

  it('of admins is the only one a promotion tests; demoting and enabling test none', async () => {
    const own = await newAccount({ limits: { users_count: 2, account_admin_users_count: 2 } })
    const { id } = (await create(person({ type: 'account_admin_user' }), own)).body.data
    const user = await insertActor(own.id, { type: 'account_user', email: 'user@example.com' })
    expect(refused(await update(user.id, { type: 'account_admin_user' }, own))).toEqual([
      403,
      'limit_reached',
      'account_admin_users',
    ])
    expect((await update(id, { type: 'account_user' }, own)).status).toBe(200)
    expect((await update(user.id, { type: 'account_admin_user' }, own)).status).toBe(200)
    expect((await update(id, { is_disabled: true }, own)).status).toBe(200)
    await insertActor(own.id, { type: 'account_user', email: 'late@example.com' })
    expect((await update(id, { is_disabled: false }, own)).status).toBe(200)
  })

  it('never lets more through than there is room for', async () => {
    const own = await newAccount({ limits: { service_accounts_count: 2 } })
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(robot, own)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403])
  })
})

describe('PATCH /actors/{id}', () => {
  it.each([
    ['account_user', 'account_admin_user', undefined],
    ['account_admin_user', 'account_user', undefined],
    ['account_user', 'service_account', 'users and admins cannot become service accounts or API clients'],
    ['account_admin_user', 'api_client', 'users and admins cannot become service accounts or API clients'],
    ['service_account', 'api_client', 'service accounts and API clients cannot change their type'],
    ['service_account', 'account_user', 'service accounts and API clients cannot change their type'],
    ['api_client', 'account_admin_user', 'service accounts and API clients cannot change their type'],
    ['api_client', 'api_client', undefined],
  ] as const)('makes a %s a %s: %s (A12.3)', async (from, to, message) => {
    const email = from.startsWith('account') ? `type-${count++}@example.com` : null
    const { id } = await insertActor(account.id, { type: from, email })
    const { status, body } = await update(id, { type: to })
    expect([status, body.errors]).toEqual(message ? [422, { type: [message] }] : [200, undefined])
    expect((await account.call(getActor, { params: { id } })).body.data.type).toBe(message ? from : to)
  })

  it('refuses what the type does not have', async () => {
    const { id } = (await create(person())).body.data
    expect((await update(id, { email: null, name: '' })).body.errors).toEqual({ email: [blank], name: [blank] })
    expect((await update(id, { email: 'ada@EXAMPLE.com' })).body.errors).toEqual({ email: ['has already been taken'] })
    const machine = (await create(robot)).body.data
    expect((await update(machine.id, { email: 'a@example.com' })).body.errors).toEqual({
      email: ['must be blank'],
      type: ['is invalid'],
    })
    expect((await update(machine.id, { email: '' })).status).toBe(200)
  })

  it('changes the case of an email, which stays the same address for others', async () => {
    const { id } = (await create(person({ email: 'case@example.com' }))).body.data
    expect((await update(id, { email: 'CASE@example.com' })).body.data.email).toBe('CASE@example.com')
    expect((await create(person({ email: 'case@example.com' }))).status).toBe(422)
    expect((await update(id, { email: 'moved@example.com' })).status).toBe(200)
    expect((await create(person({ email: 'case@example.com' }))).status).toBe(201)
  })

  it('writes nothing for a change that changes nothing (A2.8, A12.4)', async () => {
    const own = await newAccount()
    const actor = (await create(robot, own)).body.data
    const commits = (await commitsOf(own.id)).length
    for (const change of [{}, { name: 'Robot', is_disabled: 'false' }, { type: 'service_account' }, { id: 'x' }]) {
      expect((await update(actor.id, change, own)).body.data).toEqual(actor)
    }
    expect((await commitsOf(own.id)).length).toBe(commits)
    const disabled = (await update(actor.id, { is_disabled: true }, own)).body.data
    expect((await update(actor.id, { is_disabled: true }, own)).body.data).toEqual(disabled)
  })
})

describe('the acting actor and the last administrator (A12.4)', () => {
  const code = ({ status, body }: { status: number; body: Fields }) => [status, body.code]

  it('are kept', async () => {
    const own = await newAccount()
    expect(code(await remove(own.apiClient.id, own))).toEqual([403, 'own_actor'])
    expect(code(await update(own.apiClient.id, { is_disabled: true }, own))).toEqual([403, 'own_actor'])
    expect(code(await update(own.apiClient.id, { type: 'service_account' }, own))).toEqual([403, 'own_actor'])
    const changes = { name: 'Renamed', is_disabled: false, type: 'api_client' }
    expect((await update(own.apiClient.id, changes, own)).status).toBe(200)

    await create(person({ type: 'account_admin_user', is_disabled: true }), own)
    expect(code(await remove(own.admin.id, own))).toEqual([403, 'last_admin'])
    expect(code(await update(own.admin.id, { is_disabled: true, name: '' }, own))).toEqual([403, 'last_admin'])
    expect(code(await update(own.admin.id, { type: 'account_user' }, own))).toEqual([403, 'last_admin'])
    expect((await update(own.admin.id, { name: 'Augusta', is_disabled: false }, own)).status).toBe(200)
  })

  it('can go as soon as there is another administrator, but never both', async () => {
    const own = await newAccount()
    const other = (await create(person({ type: 'account_admin_user' }), own)).body.data
    const answers = await Promise.all([remove(own.admin.id, own), remove(other.id, own)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
  })
})

describe('DELETE and GET /actors', () => {
  it('answers the actor once, and frees its email', async () => {
    const actor = (await create(person({ email: 'gone@example.com' }))).body.data
    expect((await remove(actor.id)).body).toEqual({ data: actor })
    expect((await remove(actor.id)).status).toBe(404)
    expect((await account.call(getActor, { params: { id: actor.id } })).status).toBe(404)
    expect((await create(person({ email: 'gone@example.com' }))).status).toBe(201)
  })

  it('shows when a token of the actor was last used', async () => {
    const { body } = await account.call(getActor, { params: { id: account.apiClient.id } })
    expect(Date.now() - Date.parse(body.data.last_seen_at)).toBeLessThan(600_000)
  })

  it('filters by name, email and type, alone and together (A7.3)', async () => {
    const own = await newAccount()
    const twin = (await create(person({ name: 'Ada', email: 'Twin@example.com' }), own)).body.data
    const found = async (query: Record<string, string>) => {
      const { body } = await own.call(listActors, { query })
      expect(body.metadata).toMatchObject({ total: body.data.length, count: body.data.length })
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await found({ name: 'Ada' })).toEqual([own.admin.id, twin.id])
    expect(await found({ name: 'ada' })).toEqual([])
    expect(await found({ name: '' })).toEqual([])
    expect(await found({ email: 'TWIN@EXAMPLE.COM' })).toEqual([twin.id])
    expect(await found({ email: '' })).toEqual([])
    expect(await found({ type: 'account_user' })).toEqual([twin.id])
    expect(await found({ name: 'Ada', type: 'account_admin_user' })).toEqual([own.admin.id])
    expect(await found({ name: 'Ada', type: 'account_user', email: 'ada@example.com' })).toEqual([])
  })

  it.each(['type=admin', 'type=', 'name=a&name=b', 'email[]=a'])('refuses ?%s', async (query) => {
    const { status, body } = await account.call(listActors, { query })
    const detail = `Invalid value for filter ${/^[a-z]+/.exec(query)?.[0]}.`
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
  })
})
