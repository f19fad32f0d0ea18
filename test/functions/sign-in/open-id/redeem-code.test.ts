import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as startClientSession } from '#functions/api/client-sessions/start-client-session.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { challengeOf } from '#shared/sign-in/providers/pending-sign-in.ts'
import { queryItems, rowsBy } from '#shared/table/read.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { providers, stubDiscovery } from '#test/support/accounts/auth-providers.ts'
import { insertIdentity, newPerson } from '#test/support/accounts/identities.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { captureOperatorLog } from '#test/support/sign-in/operator-log.ts'
import {
  beginSignIn,
  insertLocalProvider,
  newVerifier,
  redeemWith,
  redirectParams,
  returnFromProvider,
} from '#test/support/sign-in/sign-in.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'

let fake: PlainProvider
let account: Account
let provider: AuthProviderRow
beforeAll(async () => {
  fake = await startPlainProvider()
  account = await newAccount()
  provider = await insertLocalProvider(account.id, fake)
})
beforeEach(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => fake.close())

async function withCode(fields: Record<string, unknown> = {}, by: AuthProviderRow = provider) {
  const person = await newPerson(account)
  const begun = await beginSignIn(by.id, { slug: account.slug, fields })
  const claims = { sub: String(person.id), email: person.email, email_verified: true }
  const { code = '' } = redirectParams(
    await returnFromProvider(begun, { state: begun.providerState, code: fake.codeFor(begun.url, claims) }),
  )
  return { person, code, code_verifier: begun.verifier }
}
const refused = async (sign_in: Record<string, unknown>) => {
  const { status, body } = await redeemWith(sign_in)
  expect([status, body.code]).toEqual([401, 'unauthorized'])
}

/** Gives a person a former identity with a different subject, and `tokens` client tokens. One commit cannot delete 30 tokens. */
async function withFormerSubject({ id: actorId }: { id: string }, tokens: number) {
  await insertIdentity(account.id, actorId, { issuer: provider.issuer, idp_id: `former-${actorId}` })
  for (let i = 0; i < tokens; i++) await signInWith(account, 'client', { actorId, provider, kind: 'oidc' })
}

describe('POST /sign_in/token (I2.2)', () => {
  it('returns the session once, and only with the verifier', async () => {
    const { code, code_verifier, person } = await withCode()
    const given = await redeemWith({ code, code_verifier })
    expect([given.status, given.headers['cache-control'], given.body.data.actor.id]).toEqual([
      201,
      'no-store',
      person.id,
    ])
    await refused({ code, code_verifier })
    expect(await rowsBy(clientTokens, account.id, 'actor_id', person.id)).toHaveLength(1)
  })

  it('revokes the code after a wrong verifier', async () => {
    const { code, code_verifier } = await withCode()
    await refused({ code, code_verifier: newVerifier().verifier })
    await refused({ code, code_verifier })
  })

  it.each(['', 'x', 'x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)}ü`])(
    'refuses the verifier %j',
    async (code_verifier) => {
      const { code } = await withCode()
      const { status } = await redeemWith({ code, code_verifier })
      expect(status).toBe(code_verifier === '' ? 422 : 401)
    },
  )

  it('refuses a verifier that is too short, even if it matches the challenge (RFC 7636, 4.1)', async () => {
    const verifier = 'x'.repeat(42)
    const { code } = await withCode({ code_challenge: challengeOf(verifier) })
    await refused({ code, code_verifier: verifier })
  })

  it.each(['x', 'x'.repeat(64), `${'A'.repeat(21)}${'x'.repeat(43)}`, '../../..', `${'x'.repeat(63)}=`])(
    'refuses the code %j',
    async (code) => {
      await refused({ code, code_verifier: newVerifier().verifier })
    },
  )

  it.each([
    ['a wrong verifier', 'verifier', (code: string) => ({ code, code_verifier: newVerifier().verifier })],
    ['an invalid verifier', 'verifier', (code: string) => ({ code, code_verifier: 'x' })],
    ['an unknown code', 'code_unknown', (code: string) => ({ code: `${code.slice(0, 32)}${'A'.repeat(32)}` })],
    ['no code', 'code_unknown', () => ({ code: 'x' })],
  ])('reports %s to the operator by log and metric, and not to the caller', async (_what, reason, changed) => {
    const { code, code_verifier } = await withCode()
    const sent = { code_verifier, ...changed(code) }
    const { answer, refused: line, counted, text } = await captureOperatorLog(() => redeemWith(sent))
    expect([answer.status, answer.body.code, counted]).toEqual([401, 'unauthorized', [1, reason]])
    expect(answer.text).not.toContain(reason)
    expect([line?.reason, line?.account_id]).toEqual([reason, sent.code === 'x' ? undefined : account.id])
    for (const secret of [code, sent.code, code_verifier]) if (secret.length > 1) expect(text).not.toContain(secret)
  })

  it('reports the reuse of a code to the operator', async () => {
    const sent = await withCode()
    const redeem = () => redeemWith({ code: sent.code, code_verifier: sent.code_verifier })
    expect((await redeem()).status).toBe(201)
    const { answer, refused: line, counted } = await captureOperatorLog(redeem)
    expect([answer.status, counted, line?.account_id]).toEqual([401, [1, 'code_unknown'], account.id])
  })

  it('refuses a state instead of a code', async () => {
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    await refused({ code: begun.providerState, code_verifier: begun.verifier })
  })

  it('reports missing fields', async () => {
    const { status, body } = await redeemWith({})
    expect([status, body.errors]).toEqual([422, { code: ["can't be blank"], code_verifier: ["can't be blank"] }])
  })

  it('checks again who may sign in', async () => {
    const { code, code_verifier, person } = await withCode()
    await updateRow(account.id, actors, person, { is_disabled: true })
    await refused({ code, code_verifier })
    expect(await queryItems(`${account.id}#external_identities.actor_id#${person.id}`)).toEqual([])
  })

  it("ends all access of the address's previous subject in several commits, and then returns the session", async () => {
    const { code, code_verifier, person } = await withCode()
    await withFormerSubject(person, 30)
    const { status, body } = await redeemWith({ code, code_verifier })
    expect(status).toBe(201)
    const session = { svc_id: 'laptop', public_key: publicKey(), version: '1.4.0' }
    const started = await call(startClientSession, { method: 'POST', token: body.data.token, body: { session } })
    expect(started.status).toBe(201)
    expect(await rowsBy(clientTokens, account.id, 'actor_id', person.id)).toHaveLength(1)
    await refused({ code, code_verifier })
  })

  it('ends no access of the previous subject if the sign-in is refused', async () => {
    const { code, code_verifier, person } = await withCode()
    await withFormerSubject(person, 30)
    await updateRow(account.id, actors, person, { type: 'service_account' })
    await refused({ code, code_verifier })
    expect(await rowsBy(clientTokens, account.id, 'actor_id', person.id)).toHaveLength(30)
  })

  it.each<[string, object[]]>([
    ['another issuer', [{ issuer: 'https://other.example.com' }]],
    ['another email verification method', [{ email_verification_method: 'none' }]],
    ['another client id', [{ client_id: 'another' }]],
    ['been disabled and enabled', [{ is_disabled: true }, { is_disabled: false }]],
  ])('refuses a code issued before its provider has %s', async (_what, changes) => {
    const ownProvider = await insertLocalProvider(account.id, fake)
    const { code, code_verifier } = await withCode({}, ownProvider)
    stubDiscovery('https://other.example.com')
    for (const { issuer, ...change } of changes as { issuer?: string }[]) {
      const document = { discovery_document_uri: `${issuer}/.well-known/openid-configuration`, client_secret: 'new' }
      const fields = issuer === undefined ? change : document
      expect((await providers.oidc.update(account, ownProvider.id, fields)).status).toBe(200)
    }
    const { answer, refused: line } = await captureOperatorLog(() => redeemWith({ code, code_verifier }))
    expect([answer.status, line?.reason]).toEqual([401, 'provider_changed'])
  })

  it('returns the session for a code issued before its provider was renamed', async () => {
    const ownProvider = await insertLocalProvider(account.id, fake)
    const { code, code_verifier } = await withCode({}, ownProvider)
    expect((await providers.oidc.update(account, ownProvider.id, { name: 'Renamed' })).status).toBe(200)
    expect((await redeemWith({ code, code_verifier })).status).toBe(201)
  })

  it('returns one session for 50 concurrent requests with a code', async () => {
    const { code, code_verifier, person } = await withCode()
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeemWith({ code, code_verifier })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(401)])
    expect(await rowsBy(clientTokens, account.id, 'actor_id', person.id)).toHaveLength(1)
  })

  it('refuses the code after 60 seconds', async () => {
    const { code, code_verifier } = await withCode()
    movableClock().minutes(1)
    await refused({ code, code_verifier })
  })
})
