import { createHash, randomBytes } from 'node:crypto'
import { handler as complete } from '#functions/sign-in/open-id/complete-sign-in.ts'
import { handler as redeem } from '#functions/sign-in/open-id/redeem-code.ts'
import { handler as start } from '#functions/sign-in/open-id/start-sign-in.ts'
import { sealSecret } from '#shared/core/sealed-secret.ts'
import type { AuthProviderRow, ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import type { PlainProvider } from '#test/fakes/plain-provider.ts'
import { type Answer, call } from './account.ts'
import { insertProvider } from './portal-sessions.ts'

/** An address that nobody else asks from, so that nobody's limit is used up by another test. */
export const newSource = (): string =>
  `2001:db8:${[...randomBytes(6)]
    .map((byte, i) => (i % 2 ? '' : ':') + byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(1)}::1`

/** Random text of a verifier, and what is sent of it before. */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** A provider of the account that a fake stands behind. */
export const providerBehind = async (
  accountId: string,
  fake: Pick<PlainProvider, 'issuer' | 'documentUri' | 'secret'>,
  kind: ProviderKind = 'oidc',
  fields: Partial<AuthProviderRow> = {},
) =>
  insertProvider(accountId, kind, {
    issuer: fake.issuer,
    ...(kind === 'oidc' && { discovery_document_uri: fake.documentUri }),
    ...((kind === 'oidc' || kind === 'idp') && {
      client_id: `client-${randomBytes(4).toString('hex')}`,
      client_secret: await sealSecret(accountId, fake.secret),
    }),
    ...fields,
  })

type Begun = { slug: string; source?: string; fields?: Record<string, unknown> }

/** What a client sends to begin, and keeps of it. */
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
  const begun = await call(start, { method: 'POST', path, params: { slug }, body: { sign_in }, sourceIp: source })
  const url: string = begun.body?.data?.authorization_url ?? ''
  const own = url === '' ? '' : (new URL(url).searchParams.get('state') ?? '')
  return { answer: begun, url, own, verifier, state: sign_in.state, source }
}

/** What the browser comes back with from the provider. */
export const comeBack = (query: Record<string, string> | string, source = newSource()): Promise<Answer> =>
  call(complete, { path: '/sign_in/callback', query, sourceIp: source })

/** Where the browser is led, by its parameters. */
export const ledTo = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(new URL(headers.location ?? 'about:blank').searchParams)

export const redeemWith = (sign_in: Record<string, unknown>, source = newSource()): Promise<Answer> =>
  call(redeem, { method: 'POST', path: '/sign_in/token', body: { sign_in }, sourceIp: source })

/** The whole way of a person whom a provider claims to know, up to the session. */
export async function signInBy(
  fake: PlainProvider,
  provider: Pick<AuthProviderRow, 'id'>,
  slug: string,
  claims: Record<string, unknown>,
  { fields, userinfo = null }: { fields?: Record<string, unknown>; userinfo?: Record<string, unknown> | null } = {},
) {
  const begun = await beginSignIn(provider.id, { slug, fields })
  const back = await comeBack({ state: begun.own, code: fake.codeFor(begun.url, claims, userinfo) })
  const { code = '', error } = ledTo(back)
  const redeemed = error === undefined ? await redeemWith({ code, code_verifier: begun.verifier }) : null
  return { begun, back, code, error, redeemed }
}
