import { hash } from 'node:crypto'
import { env } from '../../core/env.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { formatIp, parseIp } from '../../values/ip.ts'
import { foldAscii } from '../../values/text.ts'
import { type Caller, isAdministering } from '../caller.ts'

/** A token bucket (A9): `capacity` requests at once, `refill` more every second. */
export type Bucket = {
  name: 'account' | 'access' | 'ingest' | 'sign_in'
  /** `service` where no account owns it. */
  accountId: string
  /** Owner of the bucket within its account, for example a token. */
  owner: string
  capacity: number
  refill: number
  /** Maximum of a lease, by which most requests need no write. */
  lease: number
}

type Size = {
  capacity: number
  refill: number
  /** Part of the capacity in a lease: small enough for every function of a surface to hold one. */
  parts: number
}

const bucket = (name: Bucket['name'], accountId: string, owner: string, { capacity, refill, parts }: Size): Bucket => ({
  name,
  accountId,
  owner,
  capacity,
  refill,
  lease: Math.max(1, Math.floor(capacity / parts)),
})

/** Bucket of an account for the account API and `/v0`, or of a client or gateway token. */
export function bucketOf(caller: Caller): Bucket {
  const { id, limits } = caller.account
  if (!isAdministering(caller)) {
    return bucket('access', id, `token#${caller.token.id}`, { capacity: 200, refill: 20, parts: 20 })
  }
  const { api_capacity: capacity, api_refill_rate: refill } = limits
  return bucket('account', id, 'account', { capacity: capacity ?? 500, refill: refill ?? 50, parts: 50 })
}

/** Bucket of an ingest token, by authorization and role. */
export const ingestBucket = (
  accountId: string,
  token: string,
  { ingest_capacity: capacity, ingest_refill_rate: refill }: AccountRow['limits'],
): Bucket =>
  bucket('ingest', accountId, `ingest#${token}`, { capacity: capacity ?? 50, refill: refill ?? 10, parts: 10 })

/** Network of one subscriber: of IPv6 a /64, in which they choose addresses freely. */
function subscriberOf(address: string): string {
  const ip = parseIp(address)
  return ip?.family === 6 ? `${formatIp({ family: 6, value: (ip.value >> 64n) << 64n })}/64` : address
}

/** Public requests with a bucket each, so that a company behind one address can end every sign-in that it begins. */
export type PublicStep = 'page' | 'look' | 'start' | 'return' | 'passcode' | 'token'

/** Bucket of a source address and step. */
export const sourceBucket = (address: string, step: PublicStep): Bucket =>
  bucket('sign_in', 'service', `source#${step}#${subscriberOf(address)}`, {
    capacity: env.signInBurst * (step === 'page' ? 5 : 1),
    refill: step === 'page' ? 5 : 1,
    parts: 10,
  })

/** Bucket of an account and way in, so that a flood of one does not close the other. */
export const signInBucket = (accountId: string, way: 'providers' | 'passcodes'): Bucket =>
  bucket('sign_in', accountId, `sign_in.${way}`, { capacity: 300, refill: 10, parts: 30 })

/** Bucket of an email address in the whole service, known or not. */
export const emailBucket = (email: string): Bucket =>
  bucket('sign_in', 'service', `email#${hash('sha256', foldAscii(email), 'base64url')}`, {
    capacity: 20,
    refill: 1 / 30,
    parts: 20,
  })
