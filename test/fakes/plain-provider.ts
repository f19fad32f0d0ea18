import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Record<string, unknown>
type Responder = (answer: ServerResponse, incoming: IncomingMessage, body: URLSearchParams) => unknown

/** Data behind an authorization code: the claims to return, and the PKCE challenge and redirect URI that the code is bound to. */
type Code = { claims: Json; userinfo: Json | null; challenge: string; redirectUri: string }

export type Endpoint = 'discovery' | 'keys' | 'token' | 'userinfo'

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** Decodes base64url-encoded JSON. Returns null if the input is invalid. */
function decodeJson(text: string) {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
const send = (answer: ServerResponse, status: number, body: unknown) =>
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Signs a JWT with a P-256 key. If the key is null, the JWT has no signature. */
export function jwt(claims: Json, { key, ...header }: { key: KeyObject | null; alg?: string; kid?: string }): string {
  const content = `${base64({ alg: 'ES256', typ: 'JWT', ...header })}.${base64(claims)}`
  if (!key) return `${content}.`
  return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/**
 * Starts an OpenID Connect provider without pages, for tests that choose its claims. Instead of signing in, a test gets a code from
 * `codeFor`. Like a real provider, it checks the client secret, verifier and redirect URI. A test can replace any response.
 */
export async function startPlainProvider({ path = '', secret = 'very-secret-value-0123456789' } = {}) {
  let key = newKey()
  let kid = 'first'
  const overrides = new Map<Endpoint, Responder>()
  const requests: Endpoint[] = []
  let issuer = ''
  let base = ''
  const document = (): Json => ({
    issuer,
    authorization_endpoint: `${base}${path}/authorize?market=eu`,
    token_endpoint: `${base}${path}/token`,
    jwks_uri: `${base}${path}/keys`,
    userinfo_endpoint: `${base}${path}/userinfo`,
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  })
  const idToken = (claims: Json) => jwt(claims, { key, kid })
  const responders: Record<Endpoint, Responder> = {
    discovery: (answer) => send(answer, 200, document()),
    keys: (answer) => {
      const jwk = createPublicKey(key).export({ format: 'jwk' })
      send(answer, 200, { keys: [{ ...jwk, kid, use: 'sig', alg: 'ES256' }] })
    },
    token(answer, _incoming, body) {
      const code: Code | null = decodeJson(body.get('code') ?? '')
      if (!code) return send(answer, 400, { error: 'invalid_grant' })
      const { claims, userinfo, challenge, redirectUri } = code
      const verifier = createHash('sha256')
        .update(body.get('code_verifier') ?? '')
        .digest('base64url')
      const fits =
        verifier === challenge && body.get('redirect_uri') === redirectUri && body.get('client_secret') === secret
      if (!fits) return send(answer, 400, { error: 'invalid_grant' })
      const access_token = base64(userinfo ?? { sub: claims.sub })
      send(answer, 200, { token_type: 'Bearer', expires_in: 60, access_token, id_token: idToken(claims) })
    },
    userinfo: (answer, { headers }) => send(answer, 200, decodeJson(headers.authorization?.split(' ')[1] ?? '')),
  }
  const endpointOf = (url = ''): Endpoint | undefined =>
    (['keys', 'token', 'userinfo'] as const).find((endpoint) => url === `${path}/${endpoint}`) ??
    (url.endsWith('/.well-known/openid-configuration') ? 'discovery' : undefined)
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const endpoint = endpointOf(incoming.url)
    if (!endpoint) return answer.writeHead(404).end()
    requests.push(endpoint)
    const respond = overrides.get(endpoint) ?? responders[endpoint]
    respond(answer, incoming, new URLSearchParams(Buffer.concat(chunks).toString()))
  }).listen(0, '127.0.0.1')
  // Lets the test process exit even if the server is still open.
  server.unref()
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  issuer = `${base}${path}`
  return {
    base,
    secret,
    get issuer() {
      return issuer
    },
    set issuer(other: string) {
      issuer = other
    },
    documentUri: `${base}${path}/.well-known/openid-configuration`,
    document,
    requests,
    /** Replaces the response of an endpoint until `behave` is called. */
    misbehave: (endpoint: Endpoint, respond: Responder) => void overrides.set(endpoint, respond),
    behave: () => overrides.clear(),
    send,
    get key() {
      return key
    },
    rotateKey() {
      key = newKey()
      kid = `${kid}+`
    },
    idToken,
    /** Returns a code for an authorization URL. `claims` override the default claims of the ID token. */
    codeFor(authorizationUrl: string, claims: Json = {}, userinfo: Json | null = null): string {
      const { searchParams } = new URL(authorizationUrl)
      const now = Math.floor(Date.now() / 1_000)
      const standard = {
        iss: issuer,
        aud: searchParams.get('client_id'),
        nonce: searchParams.get('nonce'),
        iat: now,
        exp: now + 60,
      }
      return base64({
        claims: { ...standard, ...claims },
        userinfo,
        challenge: searchParams.get('code_challenge') ?? '',
        redirectUri: searchParams.get('redirect_uri') ?? '',
      } satisfies Code)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type PlainProvider = Awaited<ReturnType<typeof startPlainProvider>>
