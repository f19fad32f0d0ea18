import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Record<string, unknown>
type Answering = (answer: ServerResponse, incoming: IncomingMessage, body: URLSearchParams) => unknown

/** What a code of this provider says by itself: the claims that it stands for, and what it is bound to. */
type Code = { claims: Json; userinfo: Json | null; challenge: string; redirectUri: string }

/** A part of the provider that can be another than it should. */
export type Place = 'discovery' | 'keys' | 'token' | 'userinfo'

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** What was encoded so; null for anything else. */
function opened(text: string) {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
const send = (answer: ServerResponse, status: number, body: unknown) =>
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** A JWS by a key of P-256, or by none. */
export function jwt(claims: Json, { key, ...header }: { key: KeyObject | null; alg?: string; kid?: string }): string {
  const content = `${base64({ alg: 'ES256', typ: 'JWT', ...header })}.${base64(claims)}`
  if (!key) return `${content}.`
  return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/**
 * An OpenID Connect provider without pages, for tests that say themselves what it claims: whoever is led to it comes back
 * with a code of `codeFor`. It holds codes against client, verifier and redirect address, as a real one does; each of its
 * answers can be replaced by one that it should not give.
 */
export async function startPlainProvider({ path = '', secret = 'very-secret-value-0123456789' } = {}) {
  let key = newKey()
  let kid = 'first'
  const replaced = new Map<Place, Answering>()
  const asked: Place[] = []
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
  const usual: Record<Place, Answering> = {
    discovery: (answer) => send(answer, 200, document()),
    keys: (answer) => {
      const jwk = createPublicKey(key).export({ format: 'jwk' })
      send(answer, 200, { keys: [{ ...jwk, kid, use: 'sig', alg: 'ES256' }] })
    },
    token(answer, _incoming, body) {
      const code: Code | null = opened(body.get('code') ?? '')
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
    userinfo: (answer, { headers }) => send(answer, 200, opened(headers.authorization?.split(' ')[1] ?? '')),
  }
  const placeOf = (url = ''): Place | undefined =>
    (['keys', 'token', 'userinfo'] as const).find((place) => url === `${path}/${place}`) ??
    (url.endsWith('/.well-known/openid-configuration') ? 'discovery' : undefined)
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const place = placeOf(incoming.url)
    if (!place) return answer.writeHead(404).end()
    asked.push(place)
    const answering = replaced.get(place) ?? usual[place]
    answering(answer, incoming, new URLSearchParams(Buffer.concat(chunks).toString()))
  }).listen(0, '127.0.0.1')
  // A test that forgets it still ends.
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
    /** Lets it be known by another name than its address. */
    set issuer(other: string) {
      issuer = other
    },
    documentUri: `${base}${path}/.well-known/openid-configuration`,
    document,
    /** What was asked, in order. */
    asked,
    /** Lets it answer otherwise at a place until `behave`. */
    misbehave: (place: Place, answering: Answering) => void replaced.set(place, answering),
    behave: () => replaced.clear(),
    send,
    /** The key that it signs with. */
    get key() {
      return key
    },
    rotateKey() {
      key = newKey()
      kid = `${kid}+`
    },
    idToken,
    /** What a person comes back with who was led to it: the claims of the ID token have all that is asked for, unless said otherwise. */
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
