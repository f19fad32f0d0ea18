import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { uuidBytes, uuidText } from '../ids.ts'

/** Kinds of stored tokens with their prefixes (A3.1(3)). */
export const tokenPrefixes = { api: 'naa_', client: 'nac_', gateway: 'nag_', portal: 'nap_' } as const
export type TokenKind = keyof typeof tokenPrefixes

/** Stored hash of a token's secret. The secret is never stored (A3.1(4)). */
export type SecretHash = { secret_hash: string }

type Ids = { accountId: string; ownerId: string; tokenId: string }
type PresentedToken = Ids & { kind: TokenKind; secret: Buffer }

/** Hashes with plain SHA-256 and no salt, because 256 random bits cannot be guessed. */
const hash = (secret: Buffer): Buffer => createHash('sha256').update(secret).digest()

/** Creates a token and the hash to store. The token is returned only once. The owner is an actor, site or gateway. */
export function mintToken(kind: TokenKind, ids: Ids): SecretHash & { token: string } {
  const secret = randomBytes(32)
  const payload = Buffer.concat([...[ids.accountId, ids.ownerId, ids.tokenId].map(uuidBytes), secret])
  return { token: tokenPrefixes[kind] + payload.toString('base64url'), secret_hash: hash(secret).toString('base64') }
}

export function readToken(kinds: readonly TokenKind[], text: string): PresentedToken | null {
  const kind = kinds.find((candidate) => text.startsWith(tokenPrefixes[candidate]))
  if (!kind) return null
  const payload = text.slice(tokenPrefixes[kind].length)
  if (!/^[A-Za-z0-9_-]{107}$/.test(payload)) return null
  const bytes = Buffer.from(payload, 'base64url')
  // Accepts only the canonical spelling, because the last character has unused bits.
  if (bytes.length !== 80 || bytes.toString('base64url') !== payload) return null
  const idAt = (start: number) => uuidText(bytes.subarray(start, start + 16))
  return { kind, accountId: idAt(0), ownerId: idAt(16), tokenId: idAt(32), secret: bytes.subarray(48) }
}

/** Compares the hash of a presented secret with the stored hash, in constant time. */
export function secretMatches(presentedToken: Pick<PresentedToken, 'secret'>, storedHash: SecretHash): boolean {
  const expected = Buffer.from(storedHash.secret_hash, 'base64')
  const actual = hash(presentedToken.secret)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** Extracts the token from an `Authorization: Bearer` header. The scheme is case-insensitive (A3.1(1)). */
export const bearerToken = (header: string | undefined): string | null =>
  /^bearer +([^\s,]+)$/i.exec(header?.trim() ?? '')?.[1] ?? null
