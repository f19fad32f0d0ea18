import { randomUUID } from 'node:crypto'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, newAccount } from '../accounts/account.ts'
import { newPerson } from '../accounts/identities.ts'
import { insertAdmin } from '../accounts/portal-sessions.ts'
import { beginSignIn, insertLocalProvider, newSource, redirectParams, returnFromProvider } from '../sign-in/sign-in.ts'
import type { Sample } from './sample-requests.ts'

type World = { fake: PlainProvider; provider: AuthProviderRow }

/** The deployment's suite provider, shared by all worlds in a process. */
let suite: Promise<PlainProvider> | undefined

/** Adds the sign-in samples, which use a local provider. Each request has a different source address. */
export function addSignInSamples(samples: Record<string, Sample>, account: Account): void {
  let world: Promise<World> | undefined
  const newWorld = async (): Promise<World> => {
    process.env.ALLOW_INSECURE_PROVIDERS = '1'
    const fake = await startPlainProvider()
    return { fake, provider: await insertLocalProvider(account.id, fake, 'oidc', { context: 'clients_and_portal' }) }
  }
  const theWorld = () => {
    world ??= newWorld()
    return world
  }
  const { slug } = account
  /** Creates a separate account, because an account can have only one provider of kind `suite`. */
  const newSuiteWorld = async () => {
    process.env.ALLOW_INSECURE_PROVIDERS = '1'
    suite ??= startPlainProvider()
    const [fake, account] = [await suite, await newAccount()]
    process.env.SUITE_ISSUER = fake.issuer
    process.env.SUITE_CLIENT_SECRET = fake.secret
    return { fake, account, provider: await insertLocalProvider(account.id, fake, 'suite') }
  }
  let deployment: ReturnType<typeof newSuiteWorld> | undefined
  /** Starts a new person's sign-in with a provider, and stops before the redirect back to the service. */
  const startSignIn = async (
    { fake, provider, account: own = account }: World & { account?: Account },
    context = 'client',
  ) => {
    const person = context === 'portal' ? await insertAdmin(own.id) : await newPerson(own)
    const sign = await beginSignIn(provider.id, { slug: own.slug, fields: { context } })
    const claims = { sub: randomUUID(), email: person.email, email_verified: true, hd: 'example.com', name: 'Grace' }
    return { ...sign, query: { state: sign.providerState, code: fake.codeFor(sign.url, claims) } }
  }
  const startInWorld = async () => startSignIn(await theWorld())
  const redeemable = async (context: string) => {
    const { query, verifier, home } = await startSignIn(await theWorld(), context)
    const { code } = redirectParams(await returnFromProvider({ home }, query))
    return { body: { sign_in: { code, code_verifier: verifier } }, sourceIp: newSource() }
  }
  Object.assign(samples, {
    'GET /sign_in/{slug}/providers': async () => {
      await theWorld()
      return { params: { slug }, query: { context: 'client' }, sourceIp: newSource() }
    },
    'POST /sign_in/{slug}/start': async () => ({
      params: { slug },
      sourceIp: newSource(),
      body: {
        sign_in: {
          auth_provider_id: (await theWorld()).provider.id,
          context: 'client',
          redirect_uri: 'http://127.0.0.1:49152/callback',
          // Removes the dashes, so that no test mistakes the state for an id.
          state: randomUUID().replaceAll('-', ''),
          code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        },
      },
    }),
    'GET /sign_in/callback': async () => {
      deployment ??= newSuiteWorld()
      const at = await deployment
      return { query: (await startSignIn(at)).query, sourceIp: newSource(), accountId: at.account.id }
    },
    'GET /sign_in/callback/{auth_provider_id}': async () => {
      const { query, home } = await startInWorld()
      return { params: { auth_provider_id: home.split('/').at(-1) ?? '' }, query, sourceIp: newSource() }
    },
    'POST /sign_in/token': () => redeemable('client'),
    'POST /sign_in/session': async () => ({
      ...(await redeemable('portal')),
      headers: { 'sec-fetch-site': 'same-origin' },
    }),
    'GET /sign_in/session': () => ({}),
  } satisfies Record<string, Sample>)
}
