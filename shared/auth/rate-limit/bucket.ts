import { hash } from 'node:crypto'
import { env } from '../../core/env.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { formatIp, parseIp } from '../../values/ip.ts'
import { type Caller, isAdministering } from '../caller.ts'

/** A token bucket (A9): `capacity` requests at once, `refill` more every second. */
export type Bucket = {
  /** Name of the policy in the headers. */
  name: 'account' | 'access' | 'ingest' | 'sign_in'
  /** `service` where no account owns it. */
  accountId: string
  /** The owner of the bucket within its account, for example a token. */
  owner: string
  capacity: number
  refill: number
  /** The most units that a process takes from the table at once, so that most requests need no write. */
  lease: number
}

/** A part of the capacity so small that the many functions of a surface can each hold one; one where that is small. */
const share = (capacity: number, parts: number): number => Math.max(1, Math.floor(capacity / parts))

/** One bucket an account for the account API and `/v0`. */
function accountBucket({ id, limits }: AccountRow): Bucket {
  const capacity = limits.api_capacity ?? 500
  return {
    name: 'account',
    accountId: id,
    owner: 'account',
    capacity,
    refill: limits.api_refill_rate ?? 50,
    lease: share(capacity, 50),
  }
}

/** One bucket a client or gateway token. */
const accessBucket = (accountId: string, tokenId: string): Bucket => ({
  name: 'access',
  accountId,
  owner: `token#${tokenId}`,
  capacity: 200,
  refill: 20,
  lease: share(200, 20),
})

export const bucketOf = (caller: Caller): Bucket =>
  isAdministering(caller) ? accountBucket(caller.account) : accessBucket(caller.account.id, caller.token.id)

/** One bucket an ingest token; it is told by its authorization and role. */
export function ingestBucket(
  accountId: string,
  token: string,
  limits: Pick<AccountRow['limits'], 'ingest_capacity' | 'ingest_refill_rate'>,
): Bucket {
  const capacity = limits.ingest_capacity ?? 50
  return {
    name: 'ingest',
    accountId,
    owner: `ingest#${token}`,
    capacity,
    refill: limits.ingest_refill_rate ?? 10,
    lease: share(capacity, 10),
  }
}

/** The part of an address that one subscriber has: of IPv6 a /64, in which everybody can choose as many as they like. */
function subscriberOf(address: string): string {
  const ip = parseIp(address)
  return ip?.family === 6 ? `${formatIp({ family: 6, value: (ip.value >> 64n) << 64n })}/64` : address
}

/**
 * What anybody may ask: the page, which only shows something; and the steps of a sign-in, of which each takes one of its own, so
 * that a company behind one address can begin as many as it can end.
 */
export type PublicStep = 'page' | 'look' | 'start' | 'return' | 'passcode' | 'token'

/** One bucket a source address and step. */
export function sourceBucket(address: string, step: PublicStep): Bucket {
  const capacity = env.signInBurst * (step === 'page' ? 5 : 1)
  return {
    name: 'sign_in',
    accountId: 'service',
    owner: `source#${step}#${subscriberOf(address)}`,
    capacity,
    refill: step === 'page' ? 5 : 1,
    lease: share(capacity, 10),
  }
}

/**
 * One bucket an account for each way in, so that who floods one does not close the other; far above what people do, far
 * below what guessing takes.
 */
export const signInBucket = (accountId: string, way: 'providers' | 'passcodes'): Bucket => ({
  name: 'sign_in',
  accountId,
  owner: `sign_in.${way}`,
  capacity: 300,
  refill: 10,
  lease: share(300, 30),
})

/** One bucket an email address, known here or not, in the whole service. */
export const emailBucket = (email: string): Bucket => ({
  name: 'sign_in',
  accountId: 'service',
  owner: `email#${hash('sha256', foldAscii(email), 'base64url')}`,
  capacity: 20,
  refill: 1 / 30,
  lease: 1,
})
