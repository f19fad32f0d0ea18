import { authenticate } from '../auth/authenticate.ts'
import { type Caller, type Credential, isAdministering, scopesOf } from '../auth/caller.ts'
import { bucketOf, sourceBucket } from '../auth/rate-limit/bucket.ts'
import { takeUnit } from '../auth/rate-limit/take-unit.ts'
import { ApiError, featureNotEnabled, notFound } from '../core/errors.ts'
import { isPathId } from '../core/ids.ts'
import { covers } from '../core/permission.ts'
import { anonymous, type Origin, type Subject } from '../core/subject.ts'
import { recordApiRequest } from '../logs/log-store.ts'
import { readPage } from '../values/page.ts'
import type { Step } from './exchange.ts'
import { acquireLock } from './idempotency.ts'
import type { Operation } from './operation.ts'
import { readBody } from './read-body.ts'

const maxBodyBytes = 5_000_000

export const limitBody: Step = ({ body }) => {
  if (body.length > maxBodyBytes) throw new ApiError('payload_too_large')
}

function subjectOf(caller: Caller, origin: Origin): Subject {
  if (caller.kind === 'gateway') {
    const id = caller.gateway?.id ?? null
    return { ...anonymous(origin), device_id: id, gateway_id: id, token_id: caller.token.id }
  }
  const { actor, token } = caller
  return {
    ...anonymous(origin),
    actor_id: actor.id,
    actor_name: actor.name,
    actor_type: actor.type,
    actor_email: actor.email,
    auth_provider_id: caller.kind === 'api' ? null : caller.token.auth_provider_id,
    token_id: token.id,
  }
}

export const checkCredential =
  (credential: Credential): Step =>
  async (exchange, event) => {
    exchange.caller = await authenticate(credential, event.headers.authorization)
    exchange.subject = subjectOf(exchange.caller, exchange.origin)
    exchange.bucket = bucketOf(exchange.caller)
  }

/** Without a credential, requests are counted by where they come from (A9). */
export const limitSource =
  ({ step = 'look' }: Operation): Step =>
  (exchange) => {
    exchange.bucket = sourceBucket(exchange.origin.ip, step)
  }

/** Every answer from here on says how much of the rate limit is left (A9). */
export const checkRateLimit: Step = async (exchange) => {
  if (exchange.bucket) Object.assign(exchange.headers, await takeUnit(exchange.bucket))
}

/** The entry of a write is stored before it runs; that of a read may go beside it (L7.3). */
export const logRequest =
  ({ method, waitForRequestLog }: Operation): Step =>
  async (exchange, event) => {
    const { caller, requestId, origin } = exchange
    if (!isAdministering(caller)) return
    const { account, actor, token, kind } = caller
    const stored = recordApiRequest(account.id, {
      actor_id: actor.id,
      api_token_id: kind === 'api' ? token.id : null,
      method: event.requestContext.http.method,
      path: event.rawPath.slice(0, 2048),
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

export const checkPermission =
  ({ permission }: Operation): Step =>
  ({ caller }) => {
    if (!isAdministering(caller)) return
    if (caller.actor.type !== 'api_client' && caller.actor.type !== 'account_admin_user') {
      throw new ApiError('forbidden', 'This actor does not administer the account.')
    }
    if (permission && !covers(scopesOf(caller), permission)) {
      throw new ApiError('insufficient_scope', `This token lacks the scope ${permission}.`, {
        members: { required_scope: permission },
      })
    }
  }

/** Whether a media range of `Accept` allows JSON; the most specific range decides (RFC 9110, 12.5.1). */
function allowsJson(accept: string): boolean {
  const qualities = new Map<string, number>()
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(type, q ? Number(q.slice(2)) : 1)
  }
  const quality = ['application/json', 'application/*', '*/*']
    .map((type) => qualities.get(type))
    .find((q) => q !== undefined)
  return quality !== undefined && quality !== 0
}

export const checkAccept: Step = (_exchange, { headers }) => {
  if (headers.accept?.trim() && !allowsJson(headers.accept)) throw new ApiError('not_acceptable')
}

/** Parameters of a path that are no identifiers, as sent. */
export const readParams: Step = (exchange, { pathParameters }) => {
  for (const [name, value] of Object.entries(pathParameters ?? {})) exchange.params[name] = value ?? ''
}

/** UUIDs are compared in lower case (A2.5). */
export const checkPathIds =
  ({ identifiers }: Operation): Step =>
  (exchange, { pathParameters }) => {
    for (const [name, value] of Object.entries(pathParameters ?? {})) {
      const id = value ?? ''
      // One of few names: another is nothing that there is.
      const names = identifiers?.[name]?.enum
      if (Array.isArray(names)) {
        if (!names.includes(id)) throw notFound()
        exchange.params[name] = id
        continue
      }
      if (!isPathId(id))
        throw new ApiError('invalid_path_parameter', `${name} must be a UUID or 24 hexadecimal characters.`)
      exchange.params[name] = id.toLowerCase()
    }
  }

/** A feature that the account does not have (A28). */
export const checkFeature =
  ({ feature }: Operation): Step =>
  ({ caller }) => {
    if (feature && !caller?.account.features[feature]) throw featureNotEnabled(feature)
  }

/** A create with an `Idempotency-Key` runs once; its answer is given again to whoever repeats it (A8.3). */
export const replayAnswer =
  ({ method, permission }: Operation): Step =>
  async (exchange, event) => {
    const header = event.headers['idempotency-key']
    const { caller } = exchange
    if (header === undefined || method !== 'POST' || !permission?.endsWith(':write') || !caller) return
    const holder = { accountId: caller.account.id, tokenId: caller.token.id }
    const begun = await acquireLock(holder, header, event, exchange.body)
    if ('run' in begun) {
      exchange.lock = begun.run
      return
    }
    return {
      ...begun.replay,
      headers: {
        ...begun.replay.headers,
        ...exchange.headers,
        'idempotent-replayed': 'true',
        'x-request-id': exchange.requestId,
      },
    }
  }

export const readQuery =
  ({ filters }: Operation): Step =>
  (exchange, event) => {
    exchange.query = new URLSearchParams(event.rawQueryString)
    if (filters) exchange.page = readPage(exchange.query, filters, `${exchange.caller?.account.id}${event.rawPath}`)
  }

export const readEnvelope =
  (operation: Operation): Step =>
  (exchange, { headers }) => {
    if (!operation.body?.checkedByHandler) exchange.raw = readBody(operation, exchange.body, headers['content-type'])
  }
