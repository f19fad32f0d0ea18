import { ingestBucket } from '../auth/rate-limit/bucket.ts'
import { clock } from '../core/clock.ts'
import { ApiError, unauthorized } from '../core/errors.ts'
import { bearerToken } from '../core/secrets/token.ts'
import { accountStatus } from '../domain/accounts/account-status.ts'
import { verifyIngestToken } from '../logs/flows/ingest-token.ts'
import type { Step } from './exchange.ts'

const maxPackedBytes = 4_000_000

/** A compressed body has a limit of its own, besides that of every body. */
export const limitPackedBody: Step = ({ body }, { headers }) => {
  if (headers['content-encoding']?.trim().toLowerCase() === 'gzip' && body.length > maxPackedBytes) {
    throw new ApiError('payload_too_large')
  }
}

/** The token is verified without a read; the state of its account is at most a minute old (L9.4). */
export const checkIngestToken: Step = async (exchange, { headers }) => {
  const token = bearerToken(headers.authorization)
  if (token === null) throw unauthorized()
  const claims = await verifyIngestToken(token, Math.floor(clock.now() / 1_000_000))
  const account = await accountStatus(claims.account_id)
  if (!account.enabled) throw unauthorized()
  exchange.claims = claims
  const bearer = `${claims.policy_authorization_id}#${claims.role}`
  exchange.bucket = ingestBucket(claims.account_id, bearer, account.limits)
}
