import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import Provider, { type AccountClaims, interactionPolicy, type JWK, type KoaContextWithOIDC } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js'
import type { Answer } from '#shared/http/exchange.ts'
import { refusalPage } from '#shared/http/pages/sign-in-pages.ts'
import type { Person } from './demo-directory.ts'
import { signedOutPage, signOutPage } from './demo-pages.ts'

/** Client credentials that the service uses at the provider (RFC 7591, 2). */
export type DemoClient = { client_id: string; client_secret: string }

type Options = { issuer: string; client: DemoClient; people: readonly Person[] }

async function signingKey(): Promise<JWK> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }
}

/** Grants every scope without a consent page, as a company does for its own service. */
async function grantConsent({ oidc }: KoaContextWithOIDC) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId })
  grant.addOIDCScope(String(oidc.params?.scope))
  await grant.save()
  return grant
}

/** Default prompts, and `select_account`, which a client can request. */
function prompts() {
  const policy = interactionPolicy.base()
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  return policy
}

function show(ctx: KoaContextWithOIDC, { headers, body }: Answer): void {
  ctx.set(headers as Record<string, string>)
  ctx.body = body
}

/**
 * Creates an OpenID Provider with these people, whose only client is the service. Sign-ins work only after `setRedirectUri`, because the
 * service generates the redirect URI when it creates its provider row.
 */
export async function demoProvider({ issuer, client, people }: Options) {
  // Keeps sessions, grants and clients in memory only.
  const memory = createMemoryAdapter()
  const provider = new Provider(issuer, {
    adapter: memory,
    expiresWithSession: () => false,
    jwks: { keys: [await signingKey()] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clientAuthMethods: ['client_secret_basic'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => show(ctx, signOutPage(form)),
        postLogoutSuccessSource: (ctx) => show(ctx, signedOutPage()),
      },
    },
    discovery: { prompt_values_supported: ['none', 'login', 'consent', 'select_account'] },
    pkce: { required: () => true },
    interactions: { policy: prompts(), url: (_ctx, { uid }) => `/who/${uid}` },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    loadExistingGrant: grantConsent,
    renderError: (ctx, { error, error_description = '' }) => {
      show(ctx, refusalPage({ status: 400, title: 'Demo company', text: `${error}: ${error_description}` }))
    },
    findAccount: (_ctx, sub) => {
      const person = people.find((candidate) => candidate.sub === sub)
      return person && { accountId: sub, claims: (): AccountClaims => ({ ...person }) }
    },
  })
  return {
    provider,
    async setRedirectUri(redirect_uri: string) {
      const token_endpoint_auth_method = 'client_secret_basic'
      const registration = { ...client, redirect_uris: [redirect_uri], token_endpoint_auth_method } as const
      await memory('Client').upsert(client.client_id, registration)
    },
  }
}
