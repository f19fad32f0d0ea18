import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { blank, person, robot } from '#test/support/accounts/actors.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { withTitles } from '#test/support/run/titles.ts'

type Fields = Record<string, unknown>

const { create, get, list } = actorsApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('POST /actors (A12.2)', () => {
  it('creates an actor with its defaults, and exactly these fields', async () => {
    const answer = await create(account, { name: ' Grace ', type: 'account_user', email: 'grace@example.com' })
    const { id, inserted_at } = answer.body.data
    expect([answer.status, answer.headers.location]).toEqual([201, `/actors/${id}`])
    expect(answer.body.data).toEqual({
      id,
      name: 'Grace',
      email: 'grace@example.com',
      type: 'account_user',
      allow_email_otp_sign_in: false,
      portal_scopes: null,
      created_by_directory_id: null,
      is_disabled: false,
      last_seen_at: null,
      inserted_at,
      updated_at: inserted_at,
    })
    expect((await get(account, id)).body).toEqual(answer.body)
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [{}, { name: [blank], type: [blank] }],
      [{ ...robot, name: ' ' }, { name: [blank] }],
      [{ ...robot, name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
      [{ ...robot, name: 5 }, { name: ['is invalid'] }],
      [
        { name: 'x', type: 'robot' },
        { type: [mustBe.oneOf('account_user', 'account_admin_user', 'service_account', 'api_client')] },
      ],
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
      [person({ email: 'a\ud800@example.com' }), { email: ['is an invalid email address'] }],
      [person({ email: 'a@exa\udc00mple.com' }), { email: ['is an invalid email address'] }],
      [
        { name: 'x', type: 'api_client', email: 'a@example.com' },
        { email: ['must be blank'], type: ['is invalid'] },
      ],
      [
        { ...robot, email: 'nobody' },
        { email: ['must be blank'], type: ['is invalid'] },
      ],
      [person({ email: 'ADA@example.com' }), { email: ['has already been taken'] }],
      [{ ...robot, is_disabled: 2 }, { is_disabled: [mustBe.boolean] }],
      [{ ...robot, is_disabled: null }, { is_disabled: [blank] }],
      [{ ...robot, allow_email_otp_sign_in: 'yes' }, { allow_email_otp_sign_in: [mustBe.boolean] }],
    ]),
  )('refuses %s', async (_name, actor, errors) => {
    const answer = await create(account, actor)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('treats a blank email of a service account as absent, and accepts booleans as text', async () => {
    const { data } = (
      await create(account, { ...robot, email: ' ', is_disabled: '1', allow_email_otp_sign_in: 'false' })
    ).body
    expect(data).toMatchObject({ email: null, is_disabled: true, allow_email_otp_sign_in: false })
  })

  it('keeps the local part of an email and lowercases its host', async () => {
    const answer = await create(account, person({ email: ' Linus@EXÄMPLE.com ' }))
    expect(answer.body.data.email).toBe('Linus@xn--exmple-cua.com')
    const found = await list(account, { email: 'linus@xn--exmple-cua.com' })
    expect(found.body.data.map((actor: { id: string }) => actor.id)).toEqual([answer.body.data.id])
  })

  it('gives an email to exactly one of concurrent requests', async () => {
    const answers = await Promise.all(
      ['one@example.com', 'ONE@example.com', 'One@Example.com'].map((email) => create(account, person({ email }))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
  })
})

describe('the limits of POST /actors (A11)', () => {
  const refused = (answer: { status: number; body: Fields }) => [answer.status, answer.body.code, answer.body.limit]
  const full = { users_count: 1, service_accounts_count: 0, account_admin_users_count: 1, api_clients_count: 1 }

  it('are checked before the fields; a missing or unknown type checks none', async () => {
    const limited = await newAccount({ limits: full })
    const answers = await Promise.all(
      ['account_user', 'account_admin_user', 'service_account', 'api_client'].map((type) => create(limited, { type })),
    )
    expect(answers.map(refused)).toEqual([
      [403, 'limit_reached', 'users'],
      [403, 'limit_reached', 'users'],
      [403, 'limit_reached', 'service_accounts'],
      [403, 'limit_reached', 'api_clients'],
    ])
    for (const actor of [{}, { type: 'robot' }, { type: null }]) {
      expect((await create(limited, actor)).status).toBe(422)
    }
  })

  it('of admins applies in addition to that of users, and monthly active users replace users', async () => {
    const admins = await newAccount({ limits: { account_admin_users_count: 1 } })
    expect(refused(await create(admins, person({ type: 'account_admin_user' })))).toEqual([
      403,
      'limit_reached',
      'account_admin_users',
    ])
    const monthly = await newAccount({ limits: { monthly_active_users_count: 0, users_count: 9 } })
    expect(refused(await create(monthly, person()))).toEqual([403, 'limit_reached', 'monthly_active_users'])
    const roomy = await newAccount({ limits: { monthly_active_users_count: 1, users_count: 0 } })
    expect((await create(roomy, person())).status).toBe(201)
  })

  it('never creates more actors than the limit, even concurrently', async () => {
    const ownAccount = await newAccount({ limits: { service_accounts_count: 2 } })
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(ownAccount, robot)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403])
  })
})

describe('POST /actors by a token without the scope * (A12.4(4))', () => {
  it('creates no administrator, checked before limits and validation', async () => {
    const ownAccount = await newAccount({ limits: { account_admin_users_count: 0 } })
    const narrow = await withScopes(ownAccount, 'actors:write', '*:read')
    const before = (await list(ownAccount)).body.data
    const answer = await create(narrow, person({ type: 'account_admin_user', name: '' }))
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      403,
      'scope_exceeded',
      'Creating an administrator requires a token with the scope *, because it can grant administrator rights.',
    ])
    expect((await list(ownAccount)).body.data.map(({ id }: { id: string }) => id)).toEqual(
      before.map(({ id }: { id: string }) => id),
    )
  })

  it.each([person(), robot, { name: 'Pipeline', type: 'api_client' }])('creates %j', async (fields) => {
    expect((await create(await withScopes(account, 'actors:write'), fields)).status).toBe(201)
  })
})

describe('portal_scopes of a new actor (K11.G14)', () => {
  const readOnly = { portal_scopes: ['*:read'] }

  it('are stored for people, and refused for others', async () => {
    for (const type of ['account_user', 'account_admin_user']) {
      const { status, body } = await create(account, person({ type, ...readOnly }))
      expect([status, body.data.portal_scopes]).toEqual([201, ['*:read']])
      expect((await get(account, body.data.id)).body.data.portal_scopes).toEqual(['*:read'])
    }
    expect((await create(account, { ...robot, portal_scopes: null })).body.data.portal_scopes).toBeNull()
    for (const type of ['service_account', 'api_client']) {
      const { status, body } = await create(account, { name: 'Robot', type, ...readOnly })
      expect([status, body.errors]).toEqual([422, { portal_scopes: ['is invalid'] }])
    }
    expect((await create(account, person({ portal_scopes: ['*'] }))).body.errors).toEqual({
      portal_scopes: ['must be null or ["*:read"]'],
    })
  })

  it('require the scope *, before validation', async () => {
    const narrow = await withScopes(account, 'actors:write', 'tokens:write', '*:read')
    const refused = await create(narrow, { ...person(readOnly), name: '' })
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_exceeded'])
    expect((await create(narrow, person({ portal_scopes: null }))).status).toBe(201)
  })
})
