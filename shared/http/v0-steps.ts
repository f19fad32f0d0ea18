import { scopesOf } from '../auth/caller.ts'
import { ApiError } from '../core/errors.ts'
import { isObject } from '../core/json/is-object.ts'
import { shallowJson } from '../core/json/shallow-json.ts'
import { bearerToken } from '../core/secrets/token.ts'
import { readPage } from '../values/page.ts'
import { checkCredential } from './credentials.ts'
import type { OperationStep, Step } from './exchange.ts'

const maxBodyBytes = 1_048_576

/** Maximum number of rows of a page (`/v0` contract, 6.2). */
const maxLimit = 100

/** Checks the credential. Accepts a colon after the scheme, and reports a missing token (`/v0` contract, 3.1, 3.3). */
export const checkV0Credential: Step = async (exchange, event) => {
  const [, token] = /^bearer:?\s+(\S.*)$/i.exec(event.headers.authorization?.trim() ?? '') ?? []
  if (token === undefined) throw new ApiError('unauthorized', undefined, { members: { auth: 'unauthenticated' } })
  const authorization = `Bearer ${token}`
  // Rejects a token with spaces, because a token is a single word.
  if (bearerToken(authorization) === null) throw new ApiError('unauthorized')
  await checkCredential('api')(exchange, { ...event, headers: { ...event.headers, authorization } })
  const { caller } = exchange
  // Rejects read-only people, because responses of the legacy API contain secrets (K11.G14).
  if (caller?.kind === 'portal' && !scopesOf(caller).includes('*')) throw new ApiError('unauthorized')
}

/** Reads the page parameters of a list, if the query contains any (`/v0` contract, 6.2). */
export const readV0Page: OperationStep = (exchange, event, { filters }) => {
  exchange.query = new URLSearchParams(event.rawQueryString)
  if (!filters || !(exchange.query.has('limit') || exchange.query.has('page_cursor'))) return
  const page = readPage(exchange.query, {}, `${exchange.caller?.account.id}/${pathOf(event.rawPath)}`)
  exchange.page = { ...page, limit: Math.min(maxLimit, page.limit) }
}

const pathOf = (rawPath: string): string => rawPath.split('/').filter(Boolean).join('/')

export const limitV0Body: OperationStep = (exchange, _event, { body }) => {
  if (body && exchange.body.length > maxBodyBytes) throw new ApiError('payload_too_large')
}

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(json|[^\s;/]+\+json)$/i.test(contentType.split(';')[0]?.trim() ?? '')

/** Replaces a number that is not written as an integer, such as 1.0, with NaN, which every field rejects (`/v0` contract, 7.2). */
const integersOnly = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && !/^-?\d+$/.test(context?.source ?? '') ? Number.NaN : value

function parse(body: Buffer): unknown {
  try {
    const text = shallowJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return JSON.parse(text, integersOnly)
  } catch {
    throw new ApiError('invalid_json')
  }
}

/** Reads the value under the wrapper key of the body (`/v0` contract, 2.6, 7.1). */
export const readV0Wrapper: OperationStep = (exchange, { headers }, { body: contract }) => {
  const wrapper = contract?.envelope
  if (typeof wrapper !== 'string') return
  const readable = exchange.body.length > 0 && isJson(headers['content-type'])
  const document = readable ? parse(exchange.body) : {}
  const value = isObject(document) && Object.hasOwn(document, wrapper) ? document[wrapper] : null
  if (!isObject(value)) throw new ApiError('bad_request')
  exchange.raw = value
}
