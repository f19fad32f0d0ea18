import { isAdministering, mayUseApi, scopesOf } from '../auth/caller.ts'
import { sourceBucket } from '../auth/rate-limit/bucket.ts'
import { ApiError, featureNotEnabled, notFound } from '../core/errors.ts'
import { isPathId } from '../core/ids.ts'
import { covers } from '../core/permission.ts'
import { recordApiRequest } from '../logs/entries/log-store.ts'
import { readPage } from '../values/page.ts'
import { checkCredential, checkIngestToken, checkRateLimit } from './credentials.ts'
import { type OperationStep, qualitiesOf, type Step } from './exchange.ts'
import { acquireLock } from './idempotency.ts'
import type { Operation } from './operation.ts'
import { readBody } from './read-body.ts'
import { isV0 } from './v0-headers.ts'
import { checkV0Credential, limitV0Body, readV0Page, readV0Wrapper } from './v0-steps.ts'

const maxBodyBytes = 5_000_000

const limitBody: Step = ({ body }) => {
  if (body.length > maxBodyBytes) throw new ApiError('payload_too_large')
}

/** Stores the request log entry. Waits for it before a change, but stores it in parallel with a read (L7.3). */
const logRequest: OperationStep = async (exchange, event, { method, waitForRequestLog }) => {
  const { caller, requestId, origin } = exchange
  if (!isAdministering(caller)) return
  const { account, actor, token, kind } = caller
  const stored = recordApiRequest(account.id, {
    actor_id: actor.id,
    api_token_id: kind === 'api' ? token.id : null,
    method: event.requestContext.http.method,
    // Replaces half of a character at the end, which has no canonical form (S1.2).
    path: event.rawPath.slice(0, 2048).toWellFormed(),
    content_length: contentLength(event.headers['content-length']),
    request_id: requestId,
    ...origin,
  })
  exchange.requestLogged = stored
  if (method !== 'GET' || waitForRequestLog) await stored
  else stored.catch(() => {})
}

const contentLength = (header: string | undefined): number | null =>
  header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null

const checkPermission: OperationStep = ({ caller }, event, { permission, permissionsOf }) => {
  if (!isAdministering(caller)) return
  if (!mayUseApi(caller)) throw new ApiError('forbidden', 'This actor has no access to the account API.')
  const required = permissionsOf?.(new URLSearchParams(event.rawQueryString)) ?? (permission ? [permission] : [])
  const scopes = scopesOf(caller)
  const lacking = required.find((one) => !covers(scopes, one))
  if (lacking) {
    throw new ApiError('insufficient_scope', `This token lacks the scope ${lacking}.`, {
      members: { required_scope: lacking },
    })
  }
}

/** True if the most specific media range of `Accept` allows JSON (RFC 9110, 12.5.1). */
function allowsJson(accept: string): boolean {
  const qualities = qualitiesOf(accept)
  const quality = ['application/json', 'application/*', '*/*']
    .map((type) => qualities.get(type))
    .find((q) => q !== undefined)
  return quality !== undefined && quality !== 0
}

const checkAccept: OperationStep = (_exchange, { headers }, { status }) => {
  // Skips the check for redirects, because browsers request HTML.
  if (status === 303) return
  if (headers.accept?.trim() && !allowsJson(headers.accept)) throw new ApiError('not_acceptable')
}

const readParams: Step = (exchange, { pathParameters }) => {
  for (const [name, value = ''] of Object.entries(pathParameters ?? {})) exchange.params[name] = value
}

/**
 * Checks ids in the path and converts UUIDs to lower case (A2.5, A6.1). Does not convert enum values and the slugs of public operations.
 */
const checkPathIds: OperationStep = (exchange, { pathParameters }, { credential, identifiers }) => {
  for (const [name, id = ''] of Object.entries(pathParameters ?? {})) {
    const identifier = identifiers?.[name]
    if (Array.isArray(identifier?.enum) && !identifier.enum.includes(id)) throw notFound()
    if (identifier?.enum || (identifier && credential === 'none')) exchange.params[name] = id
    else if (isPathId(id)) exchange.params[name] = id.toLowerCase()
    else throw new ApiError('invalid_path_parameter', `${name} must be a UUID or 24 hexadecimal characters.`)
  }
}

const checkFeature: OperationStep = ({ caller }, _event, { feature }) => {
  if (feature && !caller?.account.features[feature]) throw featureNotEnabled(feature)
}

/** Executes a create request only once per `Idempotency-Key`. Returns the stored response to retries (A8.3). */
const replayAnswer: OperationStep = async (exchange, event, { method, permission }) => {
  const header = event.headers['idempotency-key']
  const { caller } = exchange
  if (header === undefined || method !== 'POST' || !permission?.endsWith(':write') || !caller) return
  const holder = { accountId: caller.account.id, tokenId: caller.token.id }
  const { run, replay } = await acquireLock(holder, header, event, exchange.body)
  exchange.lock = run
  if (!replay) return
  const identifier = { ...exchange.headers, 'idempotent-replayed': 'true', 'x-request-id': exchange.requestId }
  return { ...replay, headers: { ...replay.headers, ...identifier } }
}

const readQuery: OperationStep = (exchange, event, { filters }) => {
  exchange.query = new URLSearchParams(event.rawQueryString)
  if (filters) exchange.page = readPage(exchange.query, filters, `${exchange.caller?.account.id}${event.rawPath}`)
}

const readEnvelope: OperationStep = (exchange, { headers }, operation) => {
  if (!operation.body?.checkedByHandler) exchange.raw = readBody(operation, exchange.body, headers['content-type'])
}

const maxPackedBytes = 4_000_000

/** Limits the compressed size of a body, in addition to the limit for every body. */
const limitPackedBody: Step = ({ body }, { headers }) => {
  if (headers['content-encoding']?.trim().toLowerCase() === 'gzip' && body.length > maxPackedBytes) {
    throw new ApiError('payload_too_large')
  }
}

/** Selects the rate limit bucket of the source address for a request without a credential (A9). */
const limitSource: OperationStep = (exchange, _event, { step = 'look' }) => {
  exchange.bucket = sourceBucket(exchange.origin.ip, step)
}

/** Order of checks by credential: account API (A4), devices (P1.1), flow ingest (L8), no credential (I2.1). */
const orders: Record<NonNullable<Operation['credential']>, readonly OperationStep[]> = {
  api: [
    limitBody,
    checkCredential('api'),
    checkRateLimit,
    logRequest,
    checkPermission,
    checkAccept,
    checkPathIds,
    checkFeature,
    replayAnswer,
    readQuery,
    readEnvelope,
  ],
  client: [limitBody, checkCredential('client'), checkRateLimit, checkPathIds, readQuery, readEnvelope],
  gateway: [limitBody, checkCredential('gateway'), checkRateLimit, checkPathIds, readQuery, readEnvelope],
  ingest: [limitBody, limitPackedBody, checkIngestToken, checkRateLimit],
  none: [limitBody, limitSource, checkRateLimit, checkAccept, checkPathIds, readQuery, readEnvelope],
  // Checks for operations of a session on itself, which are not part of the account API and have no request log entry.
  session: [limitBody, checkCredential('session'), checkRateLimit, checkAccept],
  portal: [limitBody, checkCredential('portal'), checkRateLimit, checkAccept],
}

/** Order of checks of the legacy API (`/v0` contract, 3.4). */
const v0Order: readonly OperationStep[] = [
  checkV0Credential,
  checkRateLimit,
  logRequest,
  checkPermission,
  readParams,
  readV0Page,
  limitV0Body,
  readV0Wrapper,
]

export const stepsOf = (operation: Operation): Step[] =>
  (isV0(operation.path) ? v0Order : orders[operation.credential ?? 'api']).map(
    (step) => (exchange, event) => step(exchange, event, operation),
  )
