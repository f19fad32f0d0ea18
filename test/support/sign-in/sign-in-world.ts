import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { actors } from '#shared/domain/actors/actor.ts'
import type { AuthProviderRow, ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, newAccount } from '../accounts/account.ts'
import { newPerson } from '../accounts/identities.ts'
import { updateRow } from '../accounts/rows.ts'
import { catchLog } from '../logs/log-lines.ts'
import { insertLocalProvider, redirectParams, signInBy } from './sign-in.ts'

type Claims = Record<string, unknown>

/** Tenant id in the issuer of a local provider that imitates a cloud directory. */
export const tenant = '9a1f'

/** Configures one local provider for every kind of auth provider, until the environment variables are unstubbed. */
export function stubProviders({ issuer, secret }: Pick<PlainProvider, 'issuer' | 'secret'>): void {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.stubEnv('SUITE_ISSUER', issuer)
  vi.stubEnv('SUITE_CLIENT_SECRET', secret)
  vi.stubEnv('TENANT_ISSUER', issuer.replace(tenant, '{tenant_id}'))
  vi.stubEnv('TENANT_CLIENT_SECRET', secret)
  vi.stubEnv('IDP_API_URL', issuer)
}

/** Runs `stubProviders` before each test of a file. Resets the provider's behaviour and recorded requests after each test. */
export function useProviderForEveryKind(fake: PlainProvider): void {
  beforeEach(() => stubProviders(fake))
  afterEach(() => {
    fake.behave()
    fake.requests.length = 0
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  afterAll(() => fake.close())
}

let subjects = 0
export const newSubject = () => `subject-${subjects++}`

/** Creates an account whose people sign in with a local provider that issues arbitrary claims. */
export async function signInWorld({ fake: given, limits }: { fake?: PlainProvider; limits?: object } = {}) {
  const fake = given ?? (await startPlainProvider({ path: `/${tenant}/v2.0` }))
  const account: Account = await newAccount({ ...(limits && { limits }) })
  const person = async (fields: object = {}) => {
    const actor = await newPerson(account)
    return Object.keys(fields).length === 0 ? actor : updateRow(account.id, actors, actor, fields)
  }
  return {
    fake,
    account,
    person,
    emailOf: async (fields: object = {}) => String((await person(fields)).email),
    newProvider: (kind: ProviderKind = 'oidc', fields: Partial<AuthProviderRow> = {}) =>
      insertLocalProvider(account.id, fake, kind, fields),
    /** Signs in. Returns `signed in` or the reason for the refusal, which appears only in the service's log. */
    async signInOutcome(provider: AuthProviderRow, claims: Claims, userinfo: Claims | null = null, context = 'client') {
      const log = catchLog('WARN')
      const fields = { context }
      const { back, error, redeemed } = await signInBy(fake, provider, account.slug, claims, { userinfo, fields })
      const lines = log.lines().filter(({ event }) => event === 'sign_in_refused')
      vi.restoreAllMocks()
      if (back.status !== 303 || back.text !== '' || back.headers['cache-control'] !== 'no-store') {
        throw new Error(`The callback answered ${back.status} ${back.text}`)
      }
      if (error === undefined) return redeemed?.status === 201 ? 'signed in' : `redeemed: ${redeemed?.text}`
      const redirectNames = Object.keys(redirectParams(back)).sort().join()
      const { reason, claim, account_id, check } = lines.at(-1) ?? {}
      const errors = ['access_denied', 'temporarily_unavailable', 'server_error']
      if (!errors.includes(error) || redirectNames !== 'error,state' || account_id !== account.id) {
        throw new Error(`Unexpected redirect to ${back.headers.location}`)
      }
      return [reason, claim ?? check].filter(Boolean).join(' ')
    },
  }
}

export type SignInWorld = Awaited<ReturnType<typeof signInWorld>>
