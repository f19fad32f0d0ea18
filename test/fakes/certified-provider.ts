import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type AccountClaims, type ClientMetadata } from 'oidc-provider'
import { walkForms } from '#test/support/sign-in/form-browser.ts'

type Options = {
  /** Path at which the provider is mounted, like the path of a tenant in a cloud directory. */
  path?: string
  /** Issuer, if it differs from the server's address and path. */
  issuer?: string
  /** True if ID tokens contain the claims of the requested scopes. By default, only the userinfo endpoint returns them. */
  hasAllClaims?: boolean
  clients: ClientMetadata[]
  people: Record<string, Record<string, unknown>>
}

/** Starts a certified OpenID Connect provider (`oidc-provider`) locally, with sign-in pages. */
export async function startCertifiedProvider({ path = '', issuer, hasAllClaims = false, clients, people }: Options) {
  const server = createServer().listen(0, '127.0.0.1')
  server.unref()
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider = new Provider(issuer ?? `${base}${path}`, {
    clients,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of the cookies'] },
    pkce: { required: () => true },
    conformIdTokenClaims: !hasAllClaims,
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'picture', 'hd', 'oid', 'tid', 'upn', 'preferred_username'],
    },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: (): AccountClaims => ({ sub, ...people[sub] }) as AccountClaims,
    }),
    ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
  })
  const answer = provider.callback()
  server.on('request', (incoming, outgoing) => {
    // Rewrites the URL as a framework does when it mounts the provider below a path.
    Object.assign(incoming, { originalUrl: incoming.url })
    if (path && incoming.url?.startsWith(path)) incoming.url = incoming.url.slice(path.length)
    return answer(incoming, outgoing)
  })
  return {
    base,
    issuer: issuer ?? `${base}${path}`,
    documentUri: `${base}${path}/.well-known/openid-configuration`,
    /**
     * Signs in and consents as a person, or cancels if `sub` is null.
     * @returns the URL of the final redirect
     */
    visit: (authorizationUrl: string, home: string, sub: string | null) =>
      walkForms(authorizationUrl, home, ([form]) => {
        if (sub === null || !form) return null
        return 'login' in form.fields ? { form, fields: { login: sub, password: 'any' } } : { form }
      }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
