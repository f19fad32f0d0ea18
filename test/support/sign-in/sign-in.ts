import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { handler as complete } from '#functions/sign-in/open-id/complete-sign-in.ts'
import { handler as completeOfProvider } from '#functions/sign-in/open-id/complete-sign-in-of-provider.ts'
import { handler as redeem } from '#functions/sign-in/open-id/redeem-code.ts'
import { handler as start } from '#functions/sign-in/open-id/start-sign-in.ts'
import { encryptSecret } from '#shared/core/secrets/stored-secret.ts'
import type { AuthProviderRow, ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import type { PlainProvider } from '#test/fakes/plain-provider.ts'
import { type Answer, call } from '../accounts/account.ts'
import { insertProvider } from '../accounts/portal-sessions.ts'

/** Returns a random source address, so that tests do not exhaust each other's rate limits. */
export const newSource = (): string =>
  `2001:db8:${[...randomBytes(6)]
    .map((byte, i) => (i % 2 ? '' : ':') + byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(1)}::1`

/** Creates a PKCE code verifier and its challenge. */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const insertLocalProvider = async (
  accountId: string,
  fake: Pick<PlainProvider, 'issuer' | 'documentUri' | 'secret'>,
  kind: ProviderKind = 'oidc',
  fields: Partial<AuthProviderRow> = {},
) => {
  const id = fields.id ?? randomUUID()
  return insertProvider(accountId, kind, {
    id,
    issuer: fake.issuer,
    ...(kind === 'oidc' && { discovery_document_uri: fake.documentUri }),
    ...((kind === 'oidc' || kind === 'idp') && {
      client_id: `client-${randomBytes(4).toString('hex')}`,
      client_secret: await encryptSecret({ accountId, objectId: id }, fake.secret),
    }),
    ...fields,
  })
}

type Begun = { slug: string; source?: string; fields?: Record<string, unknown> }

/** Starts a sign-in as a client does. Returns the parameters that later steps need. */
export async function beginSignIn(providerId: string, { slug, source = newSource(), fields = {} }: Begun) {
  const { verifier, challenge } = newVerifier()
  const sign_in = {
    auth_provider_id: providerId,
    context: 'client',
    redirect_uri: 'http://127.0.0.1:49152/callback',
    state: randomBytes(8).toString('hex'),
    code_challenge: challenge,
    ...fields,
  }
  const path = `/sign_in/${slug}/start`
  const started = await call(start, { method: 'POST', path, params: { slug }, body: { sign_in }, sourceIp: source })
  const url: string = started.body?.data?.authorization_url ?? ''
  const parameters = url === '' ? new URLSearchParams() : new URL(url).searchParams
  const [providerState, home] = ['state', 'redirect_uri'].map((name) => parameters.get(name) ?? '') as [string, string]
  return { answer: started, url, providerState, home, verifier, state: sign_in.state, source }
}

/** Follows the provider's redirect back to the service's callback address, `home`. */
export function returnFromProvider(
  { home }: { home: string },
  query: Record<string, string> | string,
  source = newSource(),
): Promise<Answer> {
  const path = new URL(home).pathname
  const [, id] = /^\/sign_in\/callback\/([^/]+)$/.exec(path) ?? []
  return id === undefined
    ? call(complete, { path, query, sourceIp: source })
    : call(completeOfProvider, { path, params: { auth_provider_id: id }, query, sourceIp: source })
}

/** The shared callback for deployment-wide providers, and for requests without a provider. */
export const sharedCallback = { home: 'http://127.0.0.1/sign_in/callback' }

export const redirectParams = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(new URL(headers.location ?? 'about:blank').searchParams)

export const redeemWith = (sign_in: Record<string, unknown>, source = newSource()): Promise<Answer> =>
  call(redeem, { method: 'POST', path: '/sign_in/token', body: { sign_in }, sourceIp: source })

/** Signs a person in with the given provider claims, and redeems the returned code. */
export async function signInBy(
  fake: PlainProvider,
  provider: Pick<AuthProviderRow, 'id'>,
  slug: string,
  claims: Record<string, unknown>,
  { fields, userinfo = null }: { fields?: Record<string, unknown>; userinfo?: Record<string, unknown> | null } = {},
) {
  const begun = await beginSignIn(provider.id, { slug, fields })
  const back = await returnFromProvider(begun, {
    state: begun.providerState,
    code: fake.codeFor(begun.url, claims, userinfo),
  })
  const { code = '', error } = redirectParams(back)
  const redeemed = error === undefined ? await redeemWith({ code, code_verifier: begun.verifier }) : null
  return { begun, back, code, error, redeemed }
}
