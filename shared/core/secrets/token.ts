import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { uuidBytes, uuidText } from '../ids.ts'
import { namedVersion, nameVersion } from './secret-versions.ts'
import { keyOf, writingKey } from './service-secret.ts'

/** The kinds of stored tokens and the prefix that tells them apart (A3.1(3)). */
export const tokenPrefixes = { api: 'naa_', client: 'nac_', gateway: 'nag_', portal: 'nap_' } as const
export type TokenKind = keyof typeof tokenPrefixes

/** The stored part of a secret; the secret itself is never stored (A3.1(4)). */
export type SecretHash = { secret_salt: string; secret_hash: string }

type Ids = { accountId: string; ownerId: string; tokenId: string }
type Presented = Ids & { kind: TokenKind; secret: Buffer }

const purpose = 'token hash'

const hash = (key: Buffer, kind: TokenKind, salt: Buffer, secret: Buffer): Buffer =>
  createHmac('sha256', key).update(kind).update(salt).update(secret).digest()

/** A new token: the string for its holder, shown once, and what is stored of it. The owner is an actor, site or gateway. */
export async function mintToken(kind: TokenKind, ids: Ids): Promise<{ token: string; stored: SecretHash }> {
  const secret = randomBytes(32)
  const salt = randomBytes(16)
  const { version, key } = await writingKey(purpose)
  const payload = Buffer.concat([...[ids.accountId, ids.ownerId, ids.tokenId].map(uuidBytes), secret])
  return {
    token: tokenPrefixes[kind] + payload.toString('base64url'),
    stored: {
      secret_salt: salt.toString('base64'),
      secret_hash: nameVersion(version, hash(key, kind, salt, secret).toString('base64')),
    },
  }
}

/** The parts of a token string of one of these kinds; null for anything else. */
export function readToken(kinds: readonly TokenKind[], text: string): Presented | null {
  const kind = kinds.find((known) => text.startsWith(tokenPrefixes[known]))
  if (!kind) return null
  const payload = text.slice(tokenPrefixes[kind].length)
  if (!/^[A-Za-z0-9_-]{107}$/.test(payload)) return null
  const bytes = Buffer.from(payload, 'base64url')
  // The last character carries unused bits: only the canonical spelling is the token.
  if (bytes.length !== 80 || bytes.toString('base64url') !== payload) return null
  const idAt = (start: number) => uuidText(bytes.subarray(start, start + 16))
  return { kind, accountId: idAt(0), ownerId: idAt(16), tokenId: idAt(32), secret: bytes.subarray(48) }
}

/** Compares in constant time, by the version that the hash names. A token does not count when that is gone. */
export async function secretMatches(presented: Presented, stored: SecretHash): Promise<boolean> {
  const { version, text } = namedVersion(stored.secret_hash)
  const key = await keyOf(version, purpose)
  if (!key) return false
  const expected = Buffer.from(text, 'base64')
  const actual = hash(key, presented.kind, Buffer.from(stored.secret_salt, 'base64'), presented.secret)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** The token of the only `Authorization: Bearer` header, the scheme in any case (A3.1(1)). */
export const bearerToken = (header: string | undefined): string | null =>
  /^bearer +([^\s,]+)$/i.exec(header?.trim() ?? '')?.[1] ?? null
