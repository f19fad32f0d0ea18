import { authenticate } from '../auth/authenticate.ts'
import { type Caller, type Credential, kindsOf } from '../auth/caller.ts'
import { readConsoleCookie } from '../auth/console-cookie.ts'
import { bucketOf, ingestBucket } from '../auth/rate-limit/bucket.ts'
import { takeUnit } from '../auth/rate-limit/lease-holder.ts'
import { clock } from '../core/clock.ts'
import { unauthorized } from '../core/errors.ts'
import { note } from '../core/logging/invocation.ts'
import { bearerToken } from '../core/secrets/token.ts'
import { anonymousSubject, type Origin, type Subject } from '../core/subject.ts'
import { accountStatus } from '../domain/accounts/account.ts'
import { verifyIngestToken } from '../logs/flows/ingest-token.ts'
import type { Event, Step } from './exchange.ts'

function subjectOf(caller: Caller, origin: Origin): Subject {
  if (caller.kind === 'gateway') {
    const id = caller.gateway?.id ?? null
    return { ...anonymousSubject(origin), device_id: id, gateway_id: id, token_id: caller.token.id }
  }
  const { actor, token } = caller
  return {
    ...anonymousSubject(origin),
    actor_id: actor.id,
    actor_name: actor.name,
    actor_type: actor.type,
    actor_email: actor.email,
    auth_provider_id: caller.kind === 'api' ? null : caller.token.auth_provider_id,
    token_id: token.id,
  }
}

/**
 * Authenticates a request by its `Authorization` header, or by the cookie of the console if it has no such header (K3.3).
 * @throws ApiError `unauthorized`, also if the cookie belongs to another account than the one that the request names
 */
async function authenticateRequest(credential: Credential, event: Event): Promise<Caller> {
  const { authorization } = event.headers
  const acceptsCookie = authorization === undefined && kindsOf[credential].some((kind) => kind === 'portal')
  const cookie = acceptsCookie ? readConsoleCookie(event) : null
  if (!cookie) return authenticate(credential, authorization)
  const caller = await authenticate('portal', `Bearer ${cookie.token}`)
  if (caller.account.slug !== cookie.slug) throw unauthorized()
  return caller
}

export const checkCredential =
  (credential: Credential): Step =>
  async (exchange, event) => {
    exchange.caller = await authenticateRequest(credential, event)
    exchange.subject = subjectOf(exchange.caller, exchange.origin)
    exchange.bucket = bucketOf(exchange.caller)
    note({ account_id: exchange.caller.account.id })
  }

/** Takes a unit from the rate limit bucket, and adds the rate limit headers to every later response (A9). */
export const checkRateLimit: Step = async (exchange) => {
  if (exchange.bucket) Object.assign(exchange.headers, await takeUnit(exchange.bucket))
}

/** Verifies an ingest token without reading it from storage. Uses a cached account status that is at most a minute old (L9.4). */
export const checkIngestToken: Step = async (exchange, { headers }) => {
  const token = bearerToken(headers.authorization)
  if (token === null) throw unauthorized()
  const claims = await verifyIngestToken(token, Math.floor(clock.now() / 1_000_000))
  const account = await accountStatus(claims.account_id)
  if (!account.enabled) throw unauthorized()
  exchange.claims = claims
  note({ account_id: claims.account_id })
  const bearer = `${claims.policy_authorization_id}#${claims.role}`
  exchange.bucket = ingestBucket(claims.account_id, bearer, account.limits)
}
