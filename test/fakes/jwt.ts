import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

export type Jwt = { header: Record<string, unknown>; claims: Record<string, unknown> }

const decodePart = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())

/** Verifies and parses a JWT signed with RS256 or ES256. Returns null if the JWT or its signature is invalid. */
export function verifiedJwt(text: string, keyOf: (header: Record<string, unknown>) => KeyObject | null): Jwt | null {
  const [head = '', body = '', signature = ''] = text.split('.')
  try {
    const header = decodePart(head)
    const key = keyOf(header)
    const dsaEncoding = 'ieee-p1363'
    if (!key || (header.alg !== 'RS256' && header.alg !== 'ES256')) return null
    const isValid = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key, dsaEncoding },
      Buffer.from(signature, 'base64url'),
    )
    return isValid ? { header, claims: decodePart(body) } : null
  } catch {
    return null
  }
}

export const keyOfJwk = (jwk: unknown): KeyObject | null =>
  typeof jwk === 'object' && jwk !== null
    ? createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' })
    : null

/** Hashes an access token for the claim `ath` of a proof of possession (RFC 9449). */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Returns the thumbprint of a key (RFC 7638). */
export function thumbprint(jwk: Record<string, unknown>): string {
  const members = jwk.kty === 'EC' ? ['crv', 'kty', 'x', 'y'] : ['e', 'kty', 'n']
  const text = JSON.stringify(Object.fromEntries(members.map((member) => [member, jwk[member]])))
  return createHash('sha256').update(text).digest('base64url')
}
