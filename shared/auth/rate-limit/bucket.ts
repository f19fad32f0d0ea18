import { hash } from 'node:crypto'
import { env } from '../../core/env.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { formatIp, parseIp } from '../../values/ip.ts'
import { foldAscii } from '../../values/text.ts'
import { type Caller, isAdministering } from '../caller.ts'

/** Token bucket (A9), with `capacity` units and `refill` more units per second. */
export type Bucket = {
  name: 'account' | 'access' | 'ingest' | 'sign_in'
  /** Account that owns the bucket; `service` if no account does. */
  accountId: string
  /** Owner of the bucket within its account, for example a token. */
  owner: string
  capacity: number
  refill: number
  /** Maximum units of a lease. Most requests take a leased unit and need no write. */
  lease: number
}

type Size = {
  capacity: number
  refill: number
  /** Number of leases into which the capacity is divided, so that each Lambda function that uses the bucket can hold one. */
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

/** Returns the account's bucket for the account API and `/v0`, or the token's bucket for clients and gateways. */
export function bucketOf(caller: Caller): Bucket {
  const { id, limits } = caller.account
  if (!isAdministering(caller)) {
    return bucket('access', id, `token#${caller.token.id}`, { capacity: 200, refill: 20, parts: 20 })
  }
  const { api_capacity: capacity, api_refill_rate: refill } = limits
  return bucket('account', id, 'account', { capacity: capacity ?? 500, refill: refill ?? 50, parts: 50 })
}

export const ingestBucket = (
  accountId: string,
  token: string,
  { ingest_capacity: capacity, ingest_refill_rate: refill }: AccountRow['limits'],
): Bucket =>
  bucket('ingest', accountId, `ingest#${token}`, { capacity: capacity ?? 50, refill: refill ?? 10, parts: 10 })

/** Returns the network of a subscriber. For an IPv6 address, this is its /64, because a subscriber can choose any address within it. */
function subscriberOf(address: string): string {
  const ip = parseIp(address)
  return ip?.family === 6 ? `${formatIp({ family: 6, value: (ip.value >> 64n) << 64n })}/64` : address
}

/**
 * Kinds of public requests, each with a separate bucket. People of a company behind one address can therefore finish every sign-in that
 * they begin.
 */
export type PublicStep = 'page' | 'look' | 'start' | 'return' | 'passcode' | 'token'

export const sourceBucket = (address: string, step: PublicStep): Bucket =>
  bucket('sign_in', 'service', `source#${step}#${subscriberOf(address)}`, {
    capacity: env.signInBurst * (step === 'page' ? 5 : 1),
    refill: step === 'page' ? 5 : 1,
    parts: 10,
  })

/** Bucket of an account and sign-in method, so that flooding one method does not block the other. */
export const signInBucket = (accountId: string, method: 'providers' | 'passcodes'): Bucket =>
  bucket('sign_in', accountId, `sign_in.${method}`, { capacity: 300, refill: 10, parts: 30 })

/** Returns the service-wide bucket of an email address. The bucket exists even if no actor has the address. */
export const emailBucket = (email: string): Bucket =>
  bucket('sign_in', 'service', `email#${hash('sha256', foldAscii(email), 'base64url')}`, {
    capacity: 20,
    refill: 1 / 30,
    parts: 20,
  })
