import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as list } from '#functions/sign-in/open-id/list-providers.ts'
import { clock } from '#shared/core/clock.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { getRow } from '#shared/table/read.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { insertProvider } from '#test/support/accounts/portal-sessions.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { newSource } from '#test/support/sign-in/sign-in.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

afterEach(() => {
  vi.restoreAllMocks()
})

const ask = (slug: string, query: Record<string, string> | string = { context: 'client' }, sourceIp = newSource()) =>
  call(list, { path: `/sign_in/${slug}/providers`, params: { slug }, query, sourceIp })

describe('GET /sign_in/{slug}/providers (I2.1)', () => {
  it('lists the enabled providers of the context, the default first, then by name', async () => {
    const { id: b } = await insertProvider(account.id, 'oidc', { name: 'B', client_secret: 'sealed' })
    const { id: a } = await insertProvider(account.id, 'idp', { name: 'A', context: 'clients_only' })
    const { id: portal } = await insertProvider(account.id, 'tenant', { name: 'Portal', context: 'portal_only' })
    const { id: first } = await insertProvider(account.id, 'suite', { name: 'Z', is_default: true })
    const { id: mail } = await insertProvider(account.id, 'email_otp', { name: 'Mail' })
    await insertProvider(account.id, 'oidc', { name: 'Gone', is_disabled: true })
    await insertProvider((await newAccount()).id, 'oidc', { name: 'Foreign' })
    const listed = await ask(account.slug)
    expect([listed.status, listed.body]).toEqual([
      200,
      {
        data: [
          { id: first, kind: 'suite', name: 'Z', is_default: true },
          { id: a, kind: 'idp', name: 'A', is_default: false },
          { id: b, kind: 'oidc', name: 'B', is_default: false },
          { id: mail, kind: 'email_otp', name: 'Mail', is_default: false },
        ],
      },
    ])
    const forPortal = await ask(account.slug.toUpperCase(), { context: 'portal' })
    expect(forPortal.body.data.map(({ id }: { id: string }) => id)).toEqual([first, b, mail, portal])
  })

  it('returns 404 for an unknown or disabled account', async () => {
    const ownAccount = await newAccount()
    const row = await getRow(accounts, ownAccount.id, ownAccount.id)
    if (row) await updateRow(ownAccount.id, accounts, row, { is_disabled: true })
    for (const slug of ['nobody', ownAccount.slug, '', 'x', 'a'.repeat(101), 'a/b', ownAccount.id, '%00', 'ünïcode']) {
      const { status, body } = await ask(slug)
      expect([status, body.code], slug).toEqual([404, 'not_found'])
    }
  })

  it.each(['', { context: 'clients' }, { context: '' }, 'context=&context=client'])(
    'requires a valid context: %j',
    async (query) => {
      const { status, body } = await ask(account.slug, query)
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', 'context must be client or portal.'])
    },
  )

  it('allows one source 20 requests at once over all accounts, and then returns the limit (A9)', async () => {
    const source = newSource()
    const other = source.replace(/::1$/, '::2')
    // Advances the clock by only one microsecond per reading, so that no capacity is refilled during the requests.
    let at = clock.now()
    vi.spyOn(clock, 'now').mockImplementation(() => ++at)
    for (let i = 0; i < 20; i++) {
      const { status, headers } = await ask(i % 2 ? account.slug : 'nobody', undefined, i % 3 ? source : other)
      expect([status, headers['ratelimit-policy']]).toEqual([i % 2 ? 200 : 404, '"sign_in";q=20;w=20'])
    }
    const refused = await ask(account.slug, undefined, source)
    expect([refused.status, refused.body.code, Number(refused.headers['retry-after'])]).toEqual([
      429,
      'rate_limited',
      1,
    ])
    expect((await ask(account.slug)).status).toBe(200)
  })
})
