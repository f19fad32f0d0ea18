import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AuthProviderRow, callbackUri, type ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import { startCertifiedProvider } from '#test/fakes/certified-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { newPerson } from '#test/support/accounts/identities.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import {
  beginSignIn,
  insertLocalProvider,
  redeemWith,
  redirectParams,
  returnFromProvider,
} from '#test/support/sign-in/sign-in.ts'

const secret = 'secret-of-the-app-at-the-provider'
const tenant = '9a1f'

const kinds: Record<
  Exclude<ProviderKind, 'email_otp'>,
  {
    path?: string
    issuer?: string
    fields: Partial<AuthProviderRow>
    claims: (email: string) => Record<string, unknown>
  }
> = {
  oidc: { fields: {}, claims: (email) => ({ email, email_verified: true }) },
  idp: {
    issuer: 'https://company.idp.example',
    fields: { idp_domain: 'company.idp.example', issuer: 'https://company.idp.example' },
    claims: (email) => ({ email, email_verified: true }),
  },
  suite: {
    fields: { hosted_domain: 'example.com' },
    claims: (email) => ({ email, email_verified: true, hd: 'example.com' }),
  },
  tenant: { path: `/${tenant}/v2.0`, fields: {}, claims: (upn) => ({ oid: `oid of ${upn}`, tid: tenant, upn }) },
}

/** Creates an account with one provider of a kind, a person known to both, and a person unknown to the account. */
async function worldOf(kind: keyof typeof kinds, { fat = false, clientSecret = secret } = {}) {
  const { fields, claims, ...place } = kinds[kind]
  const account: Account = await newAccount()
  const person = await newPerson(account)
  const app = { suite: 'suite-app', tenant: 'tenant-app' }[kind as string] ?? 'app'
  const people = {
    grace: { name: 'Grace', picture: 'https://pictures.example.com/1', ...claims(String(person.email)) },
    nobody: claims('nobody@example.com'),
  }
  const id = randomUUID()
  const home = callbackUri('http://127.0.0.1', kind, id)
  const clients = [
    {
      client_id: app,
      client_secret: secret,
      redirect_uris: [home],
      token_endpoint_auth_method: 'client_secret_post' as const,
    },
  ]
  const fake = await startCertifiedProvider({ ...place, hasAllClaims: fat, clients, people })
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.stubEnv('SUITE_ISSUER', fake.issuer)
  vi.stubEnv('TENANT_ISSUER', `${fake.base}/{tenant_id}/v2.0`)
  vi.stubEnv('IDP_API_URL', fake.base)
  vi.stubEnv('SUITE_CLIENT_SECRET', clientSecret)
  vi.stubEnv('TENANT_CLIENT_SECRET', clientSecret)
  const provider = await insertLocalProvider(account.id, { ...fake, secret: clientSecret }, kind, {
    ...((kind === 'oidc' || kind === 'idp') && { client_id: app }),
    ...fields,
    id,
  })
  const signIn = async (who: string | null) => {
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    const home = await fake.visit(begun.url, begun.home, who)
    const log = catchLog('WARN')
    const back = await returnFromProvider({ home }, new URL(home).search.slice(1))
    const [line] = log.lines().filter(({ event }) => event === 'sign_in_refused')
    vi.mocked(process.stdout.write).mockRestore?.()
    vi.restoreAllMocks()
    return { begun, home, back, params: redirectParams(back), reason: line?.reason }
  }
  return { account, person, fake, go: signIn }
}

beforeEach(() => {
  // Silences warnings of the provider, which are irrelevant to these tests.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'info').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('a person of a certified provider, kind %s', (kind) => {
  it.each([
    ['thin', false],
    ['fat', true],
  ])('signs in with %s ID tokens, and again', async (_name, fat) => {
    const { fake, go, person } = await worldOf(kind, { fat })
    for (let i = 0; i < 2; i++) {
      const { params, begun, reason } = await go('grace')
      expect([reason, params.state]).toEqual([undefined, begun.state])
      const redeemed = await redeemWith({ code: params.code, code_verifier: begun.verifier })
      expect([redeemed.status, redeemed.body.data?.actor.id]).toEqual([201, person.id])
    }
    await fake.close()
  })

  it('is refused if unknown, after giving up, and with another secret', async () => {
    const { fake, go } = await worldOf(kind)
    const unknownPerson = await go('nobody')
    expect([unknownPerson.params.error, unknownPerson.reason]).toEqual(['access_denied', 'actor_unknown'])
    const nothing = await go(null)
    expect(new URL(nothing.home).searchParams.get('error')).toBe('access_denied')
    expect([nothing.params.error, nothing.reason]).toEqual(['access_denied', 'declined'])
    await fake.close()
    const other = await worldOf(kind, { clientSecret: 'another secret of no use' })
    const refused = await other.go('grace')
    expect([refused.params.error, refused.reason]).toEqual(['server_error', 'provider_refused'])
    await other.fake.close()
  })
})

it('returns its issuer, which is compared with the requested one (RFC 9207)', async () => {
  const { fake, go } = await worldOf('oidc')
  const { home } = await go('grace')
  expect(new URL(home).searchParams.get('iss')).toBe(fake.issuer)
  const again = await go(null)
  const without = new URL(again.home)
  without.searchParams.delete('iss')
  expect((await returnFromProvider({ home: without.href }, without.search.slice(1))).status).toBe(400)
  await fake.close()
})
