import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createUser } from '#functions/v0/users/create-v0-user.ts'
import { handler as getUser } from '#functions/v0/users/get-v0-user.ts'
import { handler as listUsers } from '#functions/v0/users/list-v0-users.ts'
import { getRow } from '#shared/table/read.ts'
import { v0Users } from '#shared/v0/user.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newEmail, newV0User } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const post = (user: unknown) => account.call(createUser, { method: 'POST', path: '/v0/users', body: { user } })
const message = (errors: Record<string, string[]>) => ({ status: 422, body: { errors } })

it('creates a user and returns it with a Location', async () => {
  const { status, headers, body } = await post({
    email: 'ana@example.net',
    role: 'admin',
    password: 'seven-green-boats',
    password_confirmation: 'seven-green-boats',
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      role: 'admin',
      email: 'ana@example.net',
      last_signed_in_at: null,
      last_signed_in_method: null,
      disabled_at: null,
      inserted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updated_at: body.data.inserted_at,
    },
  })
  expect(headers).toMatchObject({
    location: `/v0/users/${body.data.id}`,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    deprecation: '@1735689600',
    link: '</actors>; rel="successor-version"',
    'ratelimit-policy': expect.any(String),
  })
  expect(headers).not.toHaveProperty('etag')
  const read = await account.call(getUser, { params: { id_or_email: body.data.id } })
  expect(read.body).toEqual(body)
})

it('stores a password only as a salted scrypt hash with the parameters of OWASP', async () => {
  const password = 'correct horse'
  const users = await Promise.all([1, 2].map(() => newV0User(account, { password, password_confirmation: password })))
  const hashes = await Promise.all(
    users.map(async ({ id }) => (await getRow(v0Users, account.id, id))?.password_hash as string),
  )
  for (const hash of hashes) expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(hashes[0]).not.toBe(hashes[1])
})

it('records a user with its password redacted, and without one as null', async () => {
  const password = 'correct horse'
  const secret = await newV0User(account, { password, password_confirmation: password })
  const plain = await newV0User(account)
  const text = JSON.stringify(await readCommits(account.id))
  expect(text).not.toContain('correct horse')
  expect(text).not.toContain('$scrypt$')
  const changes = (await readCommits(account.id)).flatMap(({ changes }) => changes)
  const after = (id: string) => changes.find((change) => change.after?.id === id)
  expect(after(secret.id)).toMatchObject({ object: 'v0_users', operation: 'insert', before: null })
  expect(after(secret.id)?.after).toEqual({ ...secret, password_hash: '[redacted]' })
  expect(after(plain.id)?.after).toEqual({ ...plain, password_hash: null })
})

describe('the email of a new user', () => {
  it.each([
    ['ben@example.net', 'ben@example.net'],
    [' cid@example.net ', 'cid@example.net'],
    ['ops@lan', 'ops@lan'],
    ['a+b/c=d@example.net', 'a+b/c=d@example.net'],
  ])('%j is stored as %j', async (email, stored) => {
    const { status, body } = await post({ email })
    expect([status, body.data.email, body.data.role]).toEqual([201, stored, 'unprivileged'])
  })

  it.each(
    withTitles([
      [undefined, "can't be blank"],
      ['', "can't be blank"],
      ['  ', "can't be blank"],
      [null, "can't be blank"],
      ['ana.example.net', 'is invalid email address'],
      ['a\u202eb@example.net', 'is invalid email address'],
      ['a\u0007b@example.net', 'is invalid email address'],
      [7, 'is invalid'],
      ['a\0@example.net', 'is invalid'],
      ['\ud800@example.net', 'is invalid'],
      [`${'a'.repeat(255)}@`, 'should be at most 255 character(s)'],
    ]),
  )('%s', async (_name, email, text) => {
    expect(await post({ email })).toMatchObject(message({ email: [text] }))
  })

  it('reports both faults of a long email without an @', async () => {
    const errors = { email: ['is invalid email address', 'should be at most 255 character(s)'] }
    expect((await post({ email: 'a'.repeat(256) })).body).toEqual({ errors })
  })

  it('is unique in any case, and reported without other checks of stored data', async () => {
    const email = newEmail()
    await newV0User(account, { email })
    const conflict = await post({ email: email.toUpperCase() })
    expect([conflict.status, conflict.body]).toEqual([422, { errors: { email: ['has already been taken'] } }])
    const both = await post({ email, role: 'owner' })
    expect(both.body).toEqual({ errors: { role: ['is invalid'] } })
  })

  it('is given to one of concurrent requests', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ email })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)])
  })

  it('can be used in another account', async () => {
    const email = newEmail()
    await newV0User(account, { email })
    expect(await newV0User(await newAccount(), { email })).toMatchObject({ email })
  })
})

describe('the role of a new user', () => {
  it.each(['', null, undefined, 'unprivileged'])('%j is unprivileged', async (role) => {
    expect((await newV0User(account, { role })).role).toBe('unprivileged')
  })

  it.each(['owner', 'Admin', 1, true])('%j is invalid', async (role) => {
    expect(await post({ email: newEmail(), role })).toMatchObject(message({ role: ['is invalid'] }))
  })
})

describe('the password of a new user', () => {
  const short = 'should be at least 12 character(s)'
  const different = 'does not match password confirmation.'

  it.each(
    withTitles([
      ['short', undefined, [short, different]],
      ['short', 'short', [short]],
      ['correct horse', undefined, [different]],
      ['correct horse', null, [different]],
      ['correct horse', 'Correct horse', [different]],
      ['correct horse', 13, [different]],
      ['x'.repeat(129), 'x'.repeat(129), ['should be at most 128 character(s)']],
      [12, 12, ['is invalid']],
      [['correct horse'], ['correct horse'], ['is invalid']],
      ['correct\0horse!', 'correct\0horse!', ['is invalid']],
    ]),
  )('%s', async (_name, password, password_confirmation, messages) => {
    const { status, body } = await post({ email: newEmail(), password, password_confirmation })
    expect([status, body]).toEqual([422, { errors: { password: messages } }])
  })

  it.each(['', null])('%j sets no password, for any confirmation', async (password) => {
    const { id } = await newV0User(account, { password, password_confirmation: 'x' })
    expect((await getRow(v0Users, account.id, id))?.password_hash).toBeNull()
  })

  it('counts characters instead of bytes, and keeps spaces', async () => {
    const password = ` ${'🐎'.repeat(127)}`
    const { status } = await post({ email: newEmail(), password, password_confirmation: password })
    expect(status).toBe(201)
  })
})

it('reports the errors of all fields together', async () => {
  const { body } = await post({ email: 'x', role: 1, password: 'short' })
  expect(body).toEqual({
    errors: {
      email: ['is invalid email address'],
      role: ['is invalid'],
      password: ['should be at least 12 character(s)', 'does not match password confirmation.'],
    },
  })
})

it('ignores unknown and read-only keys', async () => {
  const { id } = await newV0User(account)
  const made = await newV0User(account, { id, disabled_at: '2020-01-01T00:00:00Z', _method: 'DELETE', colour: 'red' })
  expect(made.id).not.toBe(id)
  expect(made.disabled_at).toBeNull()
  expect(made).not.toHaveProperty('colour')
})

it('writes nothing when it refuses', async () => {
  const before = await account.call(listUsers)
  await post({ email: 'nobody', role: 'admin' })
  expect((await account.call(listUsers)).body).toEqual(before.body)
})
