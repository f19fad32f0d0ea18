import { describe, expect, it, vi } from 'vitest'
import { handler as listIdentities } from '#functions/api/external-identities/list-external-identities.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { type AuthProviderRow, authProviders, type ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import { getRow } from '#shared/table/read.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { captureOperatorLog } from '#test/support/sign-in/operator-log.ts'
import {
  beginSignIn,
  redeemWith,
  redirectParams,
  returnFromProvider,
  sharedCallback,
  signInBy,
} from '#test/support/sign-in/sign-in.ts'
import { newSubject, signInWorld, tenant, useProviderForEveryKind } from '#test/support/sign-in/sign-in-world.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'
import { engineError } from '#test/support/table/intercept-engine.ts'
import { refuseRequests } from '#test/support/table/refuse-requests.ts'

type Claims = Record<string, unknown>

const world = await signInWorld()
const { fake } = world
useProviderForEveryKind(fake)

describe('a person known to an OpenID Connect provider', () => {
  it('returns with a state and a code, and gets a client token', async () => {
    const provider = await world.newProvider()
    const person = await world.person()
    const claims = { sub: newSubject(), email: person.email, email_verified: true, name: 'Grace H.' }
    const { begun, back, redeemed } = await signInBy(fake, provider, world.account.slug, claims)
    expect(back.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?/)
    expect(redirectParams(back)).toEqual({ state: begun.state, code: expect.stringMatching(/^[\w-]{64}$/) })
    expect(redeemed?.body.data).toEqual({
      token: expect.stringMatching(/^nac_/),
      expires_at: expect.any(String),
      actor: { id: person.id, name: person.name, email: person.email, type: 'account_user' },
    })
    const identities = await world.account.call(listIdentities, { params: { actor_id: person.id } })
    expect(identities.body.data).toMatchObject([
      { issuer: fake.issuer, idp_id: claims.sub, email: person.email, name: 'Grace H.', directory_id: null },
    ])
    // Expects no userinfo request for claims that the ID token contains.
    expect(fake.requests).not.toContain('userinfo')
  })
})

it("discovers a provider by its issuer instead of its document's URL", async () => {
  const { account } = world
  const entered = { client_secret: fake.secret, discovery_document_uri: fake.issuer }
  const { body } = await providers.oidc.create(account, entered)
  expect(body.data).toMatchObject({ issuer: fake.issuer, discovery_document_uri: fake.issuer })
  const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true }
  expect(await world.signInOutcome(body.data, claims)).toBe('signed in')
})

describe('requirements of each kind of provider for the first link (I2.3)', () => {
  const cases: [ProviderKind, Partial<AuthProviderRow>, (email: string) => Claims, string][] = [
    ['oidc', {}, (email) => ({ email, email_verified: true }), 'signed in'],
    ['oidc', {}, (email) => ({ email: email.toUpperCase(), email_verified: 'true' }), 'signed in'],
    ['oidc', {}, (email) => ({ email, email_verified: false }), 'email_not_verified email_verified'],
    ['oidc', {}, (email) => ({ email, email_verified: 'false' }), 'email_not_verified email_verified'],
    ['oidc', {}, (email) => ({ email, email_verified: 1 }), 'email_not_verified email_verified'],
    ['oidc', {}, (email) => ({ email }), 'email_not_verified email_verified'],
    ['oidc', {}, () => ({ email_verified: true }), 'email_missing email'],
    ['oidc', {}, () => ({ email: ['a@example.com'], email_verified: true }), 'email_missing email'],
    ['oidc', {}, () => ({ email: 'nonsense', email_verified: true }), 'email_invalid'],
    ['oidc', {}, () => ({ email: 'nobody@example.com', email_verified: true }), 'actor_unknown'],
    ['oidc', { email_verification_method: 'none' }, (email) => ({ email }), 'signed in'],
    ['oidc', { email_verification_method: 'none' }, (email) => ({ email, email_verified: false }), 'signed in'],
    ['idp', {}, (email) => ({ email, email_verified: true }), 'signed in'],
    ['idp', {}, (email) => ({ email }), 'email_not_verified email_verified'],
    ['suite', {}, (email) => ({ email, email_verified: true, hd: 'example.com' }), 'signed in'],
    ['suite', {}, (email) => ({ email, email_verified: true }), 'email_not_vouched_for hd'],
    [
      'suite',
      {},
      (email) => ({ email, email_verified: false, hd: 'example.com' }),
      'email_not_verified email_verified',
    ],
    [
      'suite',
      { hosted_domain: 'Example.com' },
      (email) => ({ email, email_verified: true, hd: 'example.com' }),
      'signed in',
    ],
    ['suite', { hosted_domain: 'example.com' }, (email) => ({ email, email_verified: true }), 'domain_other hd'],
    [
      'suite',
      { hosted_domain: 'example.com' },
      (email) => ({ email, email_verified: true, hd: 'x.example' }),
      'domain_other hd',
    ],
    ['tenant', {}, (upn) => ({ oid: newSubject(), tid: tenant, upn }), 'signed in'],
    [
      'tenant',
      {},
      (email) => ({ oid: newSubject(), tid: tenant, email, preferred_username: email }),
      'email_missing upn',
    ],
    ['tenant', { email_claim: 'email' }, (email) => ({ oid: newSubject(), tid: '9A1F', email }), 'signed in'],
    [
      'tenant',
      { email_claim: 'preferred_username' },
      (preferred_username) => ({ oid: newSubject(), tid: tenant, preferred_username }),
      'signed in',
    ],
    ['tenant', {}, (upn) => ({ tid: '9a1f', upn }), 'subject_missing oid'],
    ['tenant', {}, (upn) => ({ oid: newSubject(), upn }), 'tenant_other tid'],
    ['tenant', {}, (upn) => ({ oid: newSubject(), tid: '9a20', upn }), 'tenant_other tid'],
  ]
  it.each(cases.map((one, i) => [i, ...one] as const))('%i: %s %j', async (_i, kind, fields, claims, expected) => {
    const provider = await world.newProvider(
      kind,
      kind === 'idp' ? { idp_domain: 'company.idp.example', ...fields } : fields,
    )
    expect(await world.signInOutcome(provider, { sub: newSubject(), ...claims(await world.emailOf()) })).toBe(expected)
  })

  it('is refused for claims that no table can store, and keeps no such picture', async () => {
    const provider = await world.newProvider()
    const [half, email] = ['\ud800', await world.emailOf()]
    const claims = (more: Claims) => ({ sub: newSubject(), email, email_verified: true, ...more })
    expect(await world.signInOutcome(provider, claims({ sub: `a${half}` }))).toBe('subject_missing sub')
    expect(await world.signInOutcome(provider, claims({ email: `a${half}@example.com` }))).toBe('email_invalid')
    const picture = `https://pictures.example.com/${half}`
    expect(await world.signInOutcome(provider, claims({ picture, name: half }))).toBe('signed in')
  })

  it('is refused for a lookalike letter', async () => {
    const provider = await world.newProvider()
    const email = `kate-${newSubject()}@example.com`
    await world.person({ email })
    const claims = (address: string) => ({ sub: newSubject(), email: address, email_verified: true })
    expect(await world.signInOutcome(provider, claims(email.replace('k', '\u212A')))).toBe('actor_unknown')
    expect(await world.signInOutcome(provider, claims(email.toUpperCase()))).toBe('signed in')
  })

  it('is refused for an ID token from the future, beyond the clock tolerance', async () => {
    const provider = await world.newProvider()
    const from = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds
    const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true }
    expect(await world.signInOutcome(provider, { ...claims, iat: from(120), exp: from(600) })).toBe('id_token iat')
    expect(await world.signInOutcome(provider, { ...claims, iat: from(20), exp: from(600) })).toBe('signed in')
  })

  it('must belong to a domain of the provider, at the first link and later', async () => {
    const provider = await world.newProvider('oidc', { domains: ['example.com'] })
    const [inside, outside] = [await world.person(), await world.person({ email: `${newSubject()}@example.net` })]
    const claimsOf = ({ email }: { email: string | null }) => ({ sub: newSubject(), email, email_verified: true })
    const [known, stranger] = [claimsOf(inside), claimsOf(outside)]
    expect(await world.signInOutcome(provider, stranger)).toBe('email_domain_other')
    expect(await world.signInOutcome(provider, known)).toBe('signed in')
    expect(await world.signInOutcome(provider, known)).toBe('signed in')
    // Moves the actor's email to another domain. The provider's domain restriction applies to the actor's email, not to the email claim.
    await updateRow(world.account.id, actors, inside, { email: `${newSubject()}@example.net` })
    expect(await world.signInOutcome(provider, known)).toBe('email_domain_other')
  })

  it('may have any other email once linked', async () => {
    const provider = await world.newProvider('suite', { hosted_domain: 'example.com' })
    const person = await world.person()
    const { idp_id } = await insertIdentity(world.account.id, person.id, { issuer: fake.issuer })
    expect(await world.signInOutcome(provider, { sub: idp_id, hd: 'example.com' })).toBe('signed in')
    expect(await world.signInOutcome(provider, { sub: idp_id, hd: 'other.example' })).toBe('domain_other hd')
  })
})

describe('userinfo', () => {
  it('is requested only for claims that the ID token lacks', async () => {
    const provider = await world.newProvider()
    const claims = { sub: newSubject() }
    const more = { ...claims, email: await world.emailOf(), email_verified: true }
    expect(await world.signInOutcome(provider, claims, more)).toBe('signed in')
    expect(fake.requests).toContain('userinfo')
    fake.requests.length = 0
    expect(await world.signInOutcome(provider, claims, more)).toBe('signed in')
    expect(fake.requests).not.toContain('userinfo')
  })

  it.each<[string, (email: string) => Claims, (email: string, other: string) => Claims, string]>([
    ['the email of the ID token', (email) => ({ email }), (email) => ({ email, email_verified: true }), 'signed in'],
    [
      'an email that the ID token lacks',
      () => ({ email_verified: false }),
      (email) => ({ email, email_verified: true }),
      'signed in',
    ],
    [
      'another email than that of the ID token',
      (email) => ({ email }),
      (_, other) => ({ email: other, email_verified: true }),
      'email_not_verified email_verified',
    ],
    [
      'no email that only the ID token calls verified',
      () => ({ email_verified: true }),
      (email) => ({ email }),
      'email_not_verified email_verified',
    ],
    [
      'no email that the ID token calls unverified',
      (email) => ({ email, email_verified: false, name: undefined }),
      (email) => ({ email, email_verified: true }),
      'email_not_verified email_verified',
    ],
  ])('verifies %s', async (_what, signed, userinfoClaims, expected) => {
    const provider = await world.newProvider()
    const [email, other] = [await world.emailOf(), await world.emailOf()]
    const sub = newSubject()
    expect(
      await world.signInOutcome(provider, { sub, ...signed(email) }, { sub, ...userinfoClaims(email, other) }),
    ).toBe(expected)
  })

  it('is refused with another subject', async () => {
    const provider = await world.newProvider()
    const other = { sub: 'another', email: await world.emailOf(), email_verified: true }
    expect(await world.signInOutcome(provider, { sub: newSubject() }, other)).toMatch(/^userinfo/)
  })
})

describe('permission to sign in (I2.4)', () => {
  const claimsOf = async (email: unknown) => ({ sub: newSubject(), email, email_verified: true })

  it.each<[string, string, object, string]>([
    ['a disabled person', 'client', { is_disabled: true }, 'actor_disabled'],
    ['a user, for the portal', 'portal', {}, 'actor_not_admin'],
    ['an administrator, for the portal', 'portal', { type: 'account_admin_user' }, 'signed in'],
    ['an administrator, for a client', 'client', { type: 'account_admin_user' }, 'signed in'],
  ])('%s', async (_name, context, fields, expected) => {
    expect(
      await world.signInOutcome(await world.newProvider(), await claimsOf(await world.emailOf(fields)), null, context),
    ).toBe(expected)
  })

  it("is refused if the provider or the account is disabled, or the provider's context changes in the meantime", async () => {
    const provider = await world.newProvider()
    const claims = await claimsOf(await world.emailOf())
    const answered = async (change: () => Promise<unknown>) => {
      const begun = await beginSignIn(provider.id, { slug: world.account.slug })
      await change()
      return redirectParams(
        await returnFromProvider(begun, { state: begun.providerState, code: fake.codeFor(begun.url, claims) }),
      )
    }
    const denied = { state: expect.any(String), error: 'access_denied' }
    const set = async (fields: Partial<AuthProviderRow>) => {
      const now = await getRow(authProviders.oidc, world.account.id, provider.id)
      if (now) await updateRow(world.account.id, authProviders.oidc, now, fields)
    }
    expect(await answered(() => set({ is_disabled: true }))).toEqual(denied)
    await set({ is_disabled: false })
    expect(await answered(() => set({ context: 'portal_only' }))).toEqual(denied)
    await set({ context: 'clients_and_portal' })
    expect(await answered(() => set({ issuer: 'https://login.example.com' }))).toEqual(denied)
    await set({ issuer: fake.issuer })
    const row = await getRow(accounts, world.account.id, world.account.id)
    if (!row) throw new Error('The account is gone.')
    expect(await answered(() => updateRow(world.account.id, accounts, row, { is_disabled: true }))).toEqual(denied)
    // Expects no token request, which would contain the client secret.
    expect(fake.requests.filter((endpoint) => endpoint === 'token')).toEqual([])
    await updateRow(world.account.id, accounts, { ...row, is_disabled: true }, { is_disabled: false })
  })

  it("is refused to clients above the account's users limit", async () => {
    const ownWorld = await signInWorld({ fake, limits: { users_count: 1 } })
    const provider = await ownWorld.newProvider()
    const admin = await insertActor(ownWorld.account.id, {
      type: 'account_admin_user',
      name: 'Grace',
      email: 'grace@example.com',
    })
    expect(await ownWorld.signInOutcome(provider, await claimsOf(admin.email))).toBe('above_users_limit')
    expect(await ownWorld.signInOutcome(provider, await claimsOf(admin.email), null, 'portal')).toBe('signed in')
  })
})

describe('a callback to the service', () => {
  const refused = async (query: Record<string, string> | string) => {
    const answer = await returnFromProvider(sharedCallback, query)
    expect([answer.status, answer.body?.code, answer.headers.location]).toEqual([400, 'bad_request', undefined])
  }

  it('without a pending sign-in redirects nowhere', async () => {
    const begun = await beginSignIn((await world.newProvider()).id, { slug: world.account.slug })
    const code = fake.codeFor(begun.url, { sub: newSubject() })
    const { providerState } = begun
    const wrong: (Record<string, string> | string)[] = [
      {},
      { error: 'access_denied' },
      { code },
      { code, state: '' },
      { code, state: 'x'.repeat(64) },
      { code, state: `${providerState.slice(0, -1)}${providerState.endsWith('A') ? 'B' : 'A'}` },
      `code=${code}&state=${providerState}&state=${providerState}`,
    ]
    for (const query of wrong) await refused(query)
    // Expects that the refused callbacks have not used up the state.
    expect(redirectParams(await returnFromProvider(begun, { code, state: providerState })).error).toBe('server_error')
  })

  it('that fails at the table must be started again, because its state is used up', async () => {
    const person = await world.person()
    const begun = await beginSignIn((await world.newProvider()).id, { slug: world.account.slug })
    const code = fake.codeFor(begun.url, { sub: newSubject(), email: person.email, email_verified: true })
    const log = catchLog('WARN')
    countWaiting()
    const inProgress = engineError('TransactionInProgressException')
    const seen = refuseRequests(
      Number.POSITIVE_INFINITY,
      inProgress,
      ({ operation, input }) => [operation, JSON.stringify(input)].join().match(/^PutItem.*#sign_in\.code"/) !== null,
    )
    const answer = await returnFromProvider(begun, { state: begun.providerState, code })
    expect([seen.matched > 1, answer.status, answer.body.detail]).toEqual([
      true,
      503,
      'The sign-in was interrupted. Start it again.',
    ])
    expect(log.lines().find(({ event }) => event === 'request_given_up')).toMatchObject({
      cause: { error: expect.stringContaining('TransactionInProgressException') },
    })
    await refused({ state: begun.providerState, code })
    vi.restoreAllMocks()
  })

  it('is accepted once, with any content', async () => {
    const provider = await world.newProvider()
    for (const [query, error] of [
      [{ error: 'access_denied' }, 'access_denied'],
      [{ code: 'nonsense' }, 'access_denied'],
      [{}, 'temporarily_unavailable'],
    ] as [Record<string, string>, string][]) {
      const begun = await beginSignIn(provider.id, { slug: world.account.slug })
      const back = await returnFromProvider(begun, { ...query, state: begun.providerState })
      expect([back.status, redirectParams(back)]).toEqual([303, { state: begun.state, error }])
      await refused({ state: begun.providerState, code: fake.codeFor(begun.url, { sub: newSubject() }) })
    }
  })

  it.each<[Record<string, string>, object]>([
    [{ error: 'access_denied' }, { reason: 'declined', error: 'access_denied' }],
    [
      { error: 'access_denied', error_subcode: 'cancel', error_description: 'ada@example.com stopped.' },
      { reason: 'declined', error: 'access_denied', subcode: 'cancel', description: '[email] stopped.' },
    ],
    [{ error: 'login_required' }, { reason: 'declined', error: 'login_required' }],
    [{ error: 'invalid_scope' }, { reason: 'provider_refused', error: 'invalid_scope' }],
    [
      { error: 'Ada <b>', error_subcode: 'Ada <i>' },
      { reason: 'provider_refused', error: 'unnamed', subcode: 'unnamed' },
    ],
  ])("logs for the operator alone who was refused with the provider's error %j", async (query, userinfoClaims) => {
    const begun = await beginSignIn((await world.newProvider()).id, { slug: world.account.slug })
    const log = catchLog('WARN')
    const back = await returnFromProvider(begun, { ...query, state: begun.providerState })
    const lines = log.lines().filter(({ event }) => event === 'sign_in_refused')
    vi.restoreAllMocks()
    expect(redirectParams(back)).toEqual({
      state: begun.state,
      error: expect.stringMatching(/^(access_denied|server_error)$/),
    })
    expect(lines).toEqual([expect.objectContaining({ ...userinfoClaims, at: 'authorization' })])
    expect(JSON.stringify(lines)).not.toMatch(/Ada|ada@/)
  })

  it('reports an unknown state and a replayed callback to the operator by log and metric', async () => {
    const begun = await beginSignIn((await world.newProvider()).id, { slug: world.account.slug })
    const made = `${begun.providerState.slice(0, 32)}${'A'.repeat(32)}`
    const code = fake.codeFor(begun.url, { sub: newSubject(), email: await world.emailOf(), email_verified: true })
    const callBack = (state: string) => captureOperatorLog(() => returnFromProvider(begun, { state, code }))
    const none = await callBack('x')
    expect([none.answer.status, none.counted]).toEqual([400, [1, 'state_unknown']])
    // Expects a log line without an account, because this state names no account.
    expect(none.refused?.account_id).toBeUndefined()
    const unknown = await callBack(made)
    expect((await returnFromProvider(begun, { state: begun.providerState, code })).status).toBe(303)
    const replayed = await callBack(begun.providerState)
    for (const { answer, refused, counted, text } of [unknown, replayed]) {
      expect([answer.status, counted]).toEqual([400, [1, 'state_unknown']])
      expect(refused).toMatchObject({ reason: 'state_unknown', account_id: world.account.id })
      for (const secret of [begun.providerState, made, code]) expect(text).not.toContain(secret)
    }
  })

  it('of a provider that responds twice is accepted once; the second, with another code, is refused', async () => {
    const provider = await world.newProvider()
    const begun = await beginSignIn(provider.id, { slug: world.account.slug })
    const codeOf = async () =>
      fake.codeFor(begun.url, { sub: newSubject(), email: await world.emailOf(), email_verified: true })
    const first = redirectParams(await returnFromProvider(begun, { state: begun.providerState, code: await codeOf() }))
    expect(first.code).toMatch(/^[\w-]{64}$/)
    fake.requests.length = 0
    await refused({ state: begun.providerState, code: await codeOf() })
    await refused({ state: begun.providerState, error: 'access_denied' })
    expect(fake.requests).toEqual([])
    // Expects that the second callback does not revoke the code of the first.
    expect((await redeemWith({ code: first.code, code_verifier: begun.verifier })).status).toBe(201)
  })

  it('returns a page to a browser', async () => {
    const answer = await returnFromProvider(sharedCallback, { state: 'x', error: 'y' })
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(answer.body.detail).toMatch(/Start it again/)
  })
})

it('logs nothing about the person', async () => {
  const provider = await world.newProvider()
  const email = await world.emailOf()
  const log = catchLog('INFO')
  const claims = { sub: newSubject(), email, email_verified: false, name: 'Grace Hopper' }
  const { begun } = await signInBy(fake, provider, world.account.slug, claims)
  const text = log.text()
  vi.restoreAllMocks()
  for (const secret of [email, claims.sub, 'Hopper', begun.providerState, fake.secret])
    expect(text).not.toContain(secret)
})
