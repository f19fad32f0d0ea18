import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as listClientTokens } from '#functions/api/client-tokens/list-client-tokens.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { loadOperations } from '#functions/operations.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { isObject } from '#shared/core/json/is-object.ts'
import { reservedSlugs } from '#shared/domain/accounts/account.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

// biome-ignore lint/suspicious/noExplicitAny: results of every shape are looked into
type Result = any
const run = (event: unknown): Promise<Result> =>
  provision(isObject(event) ? { token_in: 'answer', ...event } : event) as Promise<Result>
const slug = () => `slug-${randomUUID()}`
const account = (fields: object = {}) => ({ name: 'Company', slug: slug(), ...fields })
const admin = (fields: object = {}) => ({ name: 'Ada', email: 'Ada@Example.COM', ...fields })
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

describe('create_account', () => {
  it('is the default operation and creates all initial objects of an account', async () => {
    const expected = account({ legal_name: 'Company Ltd' })
    const { data } = await run({ account: expected, admin: admin() })
    expect(data.account).toEqual({
      id: expect.any(String),
      slug: expected.slug,
      key: expect.stringMatching(/^[a-z0-9]{6}$/),
      name: 'Company',
      legal_name: 'Company Ltd',
      limits: {},
    })
    expect(data.admin).toMatchObject({
      name: 'Ada',
      email: 'Ada@example.com',
      type: 'account_admin_user',
      allow_email_otp_sign_in: true,
    })
    expect(data.api_client).toMatchObject({ name: 'Provisioning', type: 'api_client', email: null })
    expect(data.api_token).toMatchObject({ scopes: ['*'], token: expect.stringMatching(/^naa_/) })
    const days = (Date.parse(data.api_token.expires_at) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(90)

    const { token } = data.api_token
    const names = async (handler: Parameters<typeof call>[0]) =>
      (await call(handler, { token })).body.data.map(({ name }: { name: string }) => name)
    expect((await call(getAccount, { token })).body.data).toEqual(data.account)
    expect(await names(listGroups)).toEqual(['Everyone'])
    expect(await names(listSites)).toEqual(['Default', 'Internet'])
    expect(await names(listResources)).toEqual(['Internet'])
    expect(await names(listActors)).toEqual(['Ada', 'Provisioning'])
  })

  it('is one commit of the service without a subject, and does not record the secret', async () => {
    const { data } = await run({ account: account(), admin: admin() })
    const commits = await readCommits(data.account.id)
    expect(commits).toHaveLength(1)
    expect(commits[0]?.subject).toBeNull()
    const objects = commits.flatMap(({ changes }) => changes.map(({ object }) => object))
    expect(objects.sort()).toEqual([
      'accounts',
      'actors',
      'actors',
      'api_tokens',
      'groups',
      'resources',
      'sites',
      'sites',
      'v0_configurations',
      'v0_users',
    ])
    expect(JSON.stringify(commits)).not.toContain(data.api_token.token.slice(-30))
  })

  it('derives the slug from the name, with a suffix if it is taken', async () => {
    const name = `Größe & Söhne ${randomUUID().slice(0, 8)}`
    const first = (await run({ account: { name }, admin: admin() })).data.account.slug
    const second = (await run({ account: { name }, admin: admin() })).data.account.slug
    expect(first).toMatch(/^gr-e-s-hne-[0-9a-f]{8}$/)
    expect(second).toMatch(new RegExp(`^${first}-[a-z0-9]{6}$`))
  })

  it('reserves the names of pages below /sign_in', async () => {
    for (const reserved of ['callback', 'session', 'token']) {
      const given = await run({ account: account({ slug: reserved }), admin: admin() })
      expect(given.error.errors).toEqual({ slug: ['is reserved'] })
    }
    const made = await run({ account: { name: 'Token' }, admin: admin() })
    expect(made.data.account.slug).toMatch(/^token-[a-z0-9]{6}$/)
    const below = (await loadOperations()).flatMap(
      ({ operation }) => /^\/sign_in\/(\w+)/.exec(operation.path)?.[1] ?? [],
    )
    expect(reservedSlugs).toEqual(expect.arrayContaining([...new Set(below)]))
  })

  it.each<[unknown, string | RegExp]>([
    ['ABC', 'abc'],
    [' abc ', 'abc'],
    ['', /^company(-[a-z0-9]{6})?$/],
    [null, /^company(-[a-z0-9]{6})?$/],
  ])('turns the slug %j into %s', async (given, expected) => {
    // Appends a random suffix, because slugs are unique in the service.
    const ending = `-${randomUUID()}`
    const isGiven = typeof expected === 'string'
    const sent = isGiven ? String(given).replace(/(\w)(\s*)$/, `$1${ending}$2`) : given
    const { data } = await run({ account: account({ slug: sent }), admin: admin() })
    if (isGiven) expect(data.account.slug).toBe(`${expected}${ending}`)
    else expect(data.account.slug).toMatch(expected as RegExp)
  })

  it('is idempotent with a slug, even concurrently', async () => {
    const event = { account: account({ slug: slug().toUpperCase() }), admin: admin() }
    const results = await Promise.all([run(event), run(event), run(event)])
    expect(results.filter(({ data }) => data)).toHaveLength(1)
    for (const { error } of results.filter((result) => result.error)) {
      expect(error).toEqual({
        code: 'validation_failed',
        detail: 'The request body failed validation.',
        errors: { slug: ['has already been taken'] },
      })
    }
  })

  it.each(
    withTitles<[object, Record<string, string[]>]>([
      [{ account: account({ name: 'ab' }) }, { name: ['should be at least 3 character(s)'] }],
      [{ account: account({ name: 'x'.repeat(65) }) }, { name: ['should be at most 64 character(s)'] }],
      [{ account: {} }, { name: ["can't be blank"] }],
      [{ account: account({ slug: 'no good' }) }, { slug: ['must be 3 to 100 of the characters a-z, 0-9 and -'] }],
      ...['ab', 'x'.repeat(101), 'under_score', 'ümlaut', 'a/b', 7, {}].map(
        (bad): [object, Record<string, string[]>] => [
          { account: account({ slug: bad }) },
          { slug: ['must be 3 to 100 of the characters a-z, 0-9 and -'] },
        ],
      ),
      [{ account: account({ legal_name: 'x'.repeat(256) }) }, { legal_name: ['should be at most 255 character(s)'] }],
      [{ account: account({ limits: null }) }, { limits: [mustBe.object] }],
      [{ account: account({ features: [] }) }, { features: [mustBe.object] }],
      [
        { account: account({ limits: { sites_count: 1.5, ingest_refill_rate: 'x' } }) },
        { 'limits.sites_count': [mustBe.integer], 'limits.ingest_refill_rate': [mustBe.integer] },
      ],
      [
        { account: account({ limits: { users_count: -1 } }) },
        { 'limits.users_count': ['must be greater than or equal to 0'] },
      ],
      [
        { account: account({ limits: { api_capacity: 0 } }) },
        { 'limits.api_capacity': ['must be greater than or equal to 1'] },
      ],
      [{ account: account({ limits: { sites_count: 'many' } }) }, { 'limits.sites_count': [mustBe.integer] }],
      [{ account: account({ features: { idp_sync: 'yes' } }) }, { 'features.idp_sync': [mustBe.boolean] }],
      [{ account: account({ v0_lists: 'lists' }) }, { v0_lists: [mustBe.oneOf('text', 'arrays')] }],
      [{ admin: admin({ email: 'ada' }) }, { 'admin.email': ['is an invalid email address'] }],
      [{ admin: {} }, { 'admin.name': ["can't be blank"], 'admin.email': ["can't be blank"] }],
      [{ api_token: { scopes: [] } }, { 'api_token.scopes': ['should have at least 1 item(s)'] }],
      [{ api_token: { scopes: ['all'] } }, { 'api_token.scopes': [mustBe.scope] }],
      [{ api_token: { expires_at: '2020-01-01T00:00:00Z' } }, { 'api_token.expires_at': ['must be in the future'] }],
    ]),
  )('refuses %s', async (_name, parts, errors) => {
    const { error } = await run({ account: account(), admin: admin(), ...parts })
    expect(error).toMatchObject({ code: 'validation_failed', errors })
  })

  it('reports the errors of all parts at once', async () => {
    const { error } = await run({ account: { name: 'A' }, admin: { email: 'bad' }, api_token: { scopes: ['zz'] } })
    expect(error.errors).toEqual({
      name: ['should be at least 3 character(s)'],
      'admin.name': ["can't be blank"],
      'admin.email': ['is an invalid email address'],
      'api_token.scopes': [mustBe.scope],
    })
  })

  it.each([null, 'x', [], {}, { account: 7 }, { account: account() }, { operation: 'drop' }, { operation: 7 }])(
    'refuses the event %j',
    async (event) => {
      expect((await run(event)).error.code).toBe('bad_request')
    },
  )
})

describe('update_account', () => {
  it('changes the sent fields, limits and features individually', async () => {
    const ownAccount = await newAccount({ limits: { users_count: 5 } })
    const update = (fields: object) => run({ operation: 'update_account', account_id: ownAccount.id, account: fields })
    const { data } = await update({ name: 'Renamed', limits: { sites_count: 3 } })
    expect(data.account).toMatchObject({
      name: 'Renamed',
      limits: { users: { total: 5 }, sites: { used: 1, available: 2, total: 3 } },
    })
    expect((await update({ limits: { users_count: null } })).data.account.limits).not.toHaveProperty('users')
    expect((await update({ name: null })).error.errors).toEqual({ name: ["can't be blank"] })
  })

  it('writes nothing for equal values, and never changes the slug', async () => {
    const ownAccount = await newAccount({ legal_name: 'Test Ltd' })
    const before = (await ownAccount.call(getAccount)).body.data
    const commits = (await readCommits(ownAccount.id)).length
    for (const fields of [{}, { name: before.name, legal_name: 'Test Ltd', limits: {} }, { slug: slug() }]) {
      const { data } = await run({ operation: 'update_account', account_id: ownAccount.id, account: fields })
      expect(data.account).toEqual(before)
    }
    expect((await readCommits(ownAccount.id)).length).toBe(commits)
  })

  it('is logged with subject null', async () => {
    const ownAccount = await newAccount()
    await run({ operation: 'update_account', account_id: ownAccount.id, account: { name: 'On record' } })
    expect((await readCommits(ownAccount.id)).at(-1)).toMatchObject({
      subject: null,
      changes: [{ object: 'accounts', operation: 'update', after: { name: 'On record' } }],
    })
  })

  it.each<[object, Record<string, string[]>]>([
    [{ name: 'ab' }, { name: ['should be at least 3 character(s)'] }],
    [{ is_disabled: 'maybe' }, { is_disabled: [mustBe.boolean] }],
    [{ disabled_reason: 7 }, { disabled_reason: ['is invalid'] }],
    [{ limits: { ingest_capacity: 0 } }, { 'limits.ingest_capacity': ['must be greater than or equal to 1'] }],
    [{ features: { idp_sync: null } }, { 'features.idp_sync': [mustBe.boolean] }],
  ])('refuses %j', async (fields, errors) => {
    const ownAccount = await newAccount()
    const { error } = await run({ operation: 'update_account', account_id: ownAccount.id, account: fields })
    expect(error).toEqual({ code: 'validation_failed', detail: 'The request body failed validation.', errors })
  })

  it('disables an account: no credential is valid until it is enabled', async () => {
    const ownAccount = await newAccount()
    const update = (fields: object) => run({ operation: 'update_account', account_id: ownAccount.id, account: fields })
    await update({ is_disabled: true, disabled_reason: 'unpaid' })
    expect((await ownAccount.call(getAccount)).status).toBe(401)
    await update({ is_disabled: false })
    expect((await ownAccount.call(getAccount)).status).toBe(200)
  })

  it('requires an existing account', async () => {
    const event = { operation: 'update_account', account: { name: 'Nobody' } }
    expect((await run({ ...event, account_id: randomUUID() })).error.code).toBe('not_found')
    expect((await run({ ...event, account_id: 'x' })).error.errors).toEqual({ account_id: [mustBe.uuid] })
    expect((await run(event)).error.errors).toEqual({ account_id: ["can't be blank"] })
  })
})

describe('delete_account', () => {
  it('disables at once and returns the time of deletion; enabling cancels it', async () => {
    const ownAccount = await newAccount()
    const { data } = await run({ operation: 'delete_account', account_id: ownAccount.id })
    expect(Math.round((Date.parse(data.delete_at) - Date.now()) / 86_400_000)).toBe(7)
    expect((await ownAccount.call(getAccount)).status).toBe(401)
    await run({ operation: 'update_account', account_id: ownAccount.id, account: { is_disabled: false } })
    expect((await ownAccount.call(getAccount)).status).toBe(200)
    const accountNow = (await readCommits(ownAccount.id)).at(-1)?.changes[0]?.after
    expect(accountNow).toMatchObject({ delete_at: null, disabled_reason: null })
  })

  it('accepts a time', async () => {
    const ownAccount = await newAccount()
    const delete_at = tomorrow()
    const { data } = await run({ operation: 'delete_account', account_id: ownAccount.id, delete_at })
    expect(Date.parse(data.delete_at)).toBe(Date.parse(delete_at))
    const bad = await run({ operation: 'delete_account', account_id: ownAccount.id, delete_at: 'soon' })
    expect(bad.error.errors).toEqual({ delete_at: [mustBe.timestamp] })
  })
})

describe('create_static_device_pool', () => {
  it('creates a pool, which is readable but cannot be created through the API', async () => {
    const ownAccount = await newAccount()
    const resource = { name: 'Laptops', filters: [{ protocol: 'tcp', ports: [22] }] }
    const { data } = await run({ operation: 'create_static_device_pool', account_id: ownAccount.id, resource })
    expect(data.resource).toMatchObject({
      type: 'static_device_pool',
      address: null,
      site_id: null,
      filters: [{ protocol: 'tcp', ports: ['22'] }],
    })
    const listed = await ownAccount.call(listResources, { query: { type: 'static_device_pool' } })
    expect(listed.body.data).toEqual([data.resource])
  })

  it('refuses invalid input', async () => {
    const ownAccount = await newAccount()
    const event = { operation: 'create_static_device_pool', account_id: ownAccount.id }
    const id = randomUUID()
    expect((await run({ ...event, resource: {} })).error.errors).toEqual({ name: ["can't be blank"] })
    expect((await run({ ...event, resource: { name: 'x', device_ids: ['y'] } })).error.errors).toEqual({
      device_ids: ['must be a list of client ids'],
    })
    expect((await run({ ...event, resource: { name: 'x', device_ids: [id] } })).error.errors).toEqual({
      device_ids: [`${id} does not exist`],
    })
    expect((await ownAccount.call(listResources)).body.metadata.total).toBe(1)
  })
})

describe('create_api_token', () => {
  it('restores access: a new API client with a token, or a token for an existing one', async () => {
    const ownAccount = await newAccount()
    const event = { operation: 'create_api_token', account_id: ownAccount.id, api_token: { expires_at: tomorrow() } }
    const made = (await run(event)).data
    expect(made.api_client.id).not.toBe(ownAccount.apiClient.id)
    expect((await run({ ...event, actor_id: null })).data.api_client.id).not.toBe(ownAccount.apiClient.id)
    expect((await call(getAccount, { token: made.api_token.token })).status).toBe(200)
    const more = (
      await run({
        ...event,
        actor_id: ownAccount.apiClient.id,
        api_token: { ...event.api_token, scopes: ['logs:read'] },
      })
    ).data
    expect(more.api_client.id).toBe(ownAccount.apiClient.id)
    expect((await call(listSites, { token: more.api_token.token })).status).toBe(403)
  })

  it('refuses an actor of another type and times in the past', async () => {
    const ownAccount = await newAccount()
    const event = { operation: 'create_api_token', account_id: ownAccount.id }
    const token = { expires_at: tomorrow() }
    for (const actor_id of [ownAccount.admin.id, randomUUID()]) {
      expect((await run({ ...event, actor_id, api_token: token })).error.errors).toEqual({
        actor_id: ['does not exist'],
      })
    }
    expect((await run({ ...event, api_token: {} })).error.errors).toEqual({
      'api_token.expires_at': ["can't be blank"],
    })
    expect((await run({ ...event, api_token: { expires_at: '2020-01-01T00:00:00Z' } })).error.errors).toEqual({
      'api_token.expires_at': ['must be in the future'],
    })
    expect(
      (await ownAccount.call(listClientTokens, { params: { actor_id: ownAccount.apiClient.id } })).body.data,
    ).toEqual([])
  })
})
