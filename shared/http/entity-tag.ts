import { hash } from 'node:crypto'
import * as v from 'valibot'
import { ApiError } from '../core/errors.ts'
import { isObject } from '../core/json/is-object.ts'
import { sortedJson } from '../core/json/json.ts'
import type { Context, Operation } from './operation.ts'
import { isV0 } from './v0-headers.ts'

/** Entity tag of an object (A8.2). `stored` is a digest of the stored fields, and `live` of the fields that change without an edit. */
type EntityTag = { stored: string; live: string }

const liveFields =
  /^(online|public_key|gateway_token_id|rotated_at|last_seen_\w+|last_attested_\w+|synced_at|callback_uri|last_error|last_error_at|error|error_count|error_emailed_at)$/

/** Members that are returned only in the response to a create request. */
const shownOnce = ['token', 'public_jwk']

/** Hashes fields independently of key order at every depth, because DynamoDB returns map keys in any order. */
const digest = (fields: [string, unknown][]): string =>
  hash('sha256', sortedJson(Object.fromEntries(fields)), 'base64url').slice(0, 16)

/** Returns the entity tag of the object in a response body; null for a list or a body without an object. */
export function tagOf(body: unknown): EntityTag | null {
  const data = isObject(body) ? body.data : undefined
  if (!isObject(data) || !('id' in data || 'log_id' in data)) return null
  const fields = Object.entries(data).filter(([name]) => !shownOnce.includes(name))
  const isLive = ([name]: [string, unknown]) => liveFields.test(name)
  return { stored: digest(fields.filter((field) => !isLive(field))), live: digest(fields.filter(isLive)) }
}

export const tagText = ({ stored, live }: EntityTag): string => `"${stored}.${live}"`

const tagsIn = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** True if `If-None-Match` is `*` or contains the whole tag (RFC 9110, 13.1.2). */
export const isKnown = (header: string, tag: string): boolean =>
  header.trim() === '*' || tagsIn(header).some((candidate) => candidate.replace(/^W\//, '') === tag)

/** True if `If-Match` contains the stored digest of a tag (A8.2). Weak tags never match. */
const isCurrent = (header: string, { stored }: EntityTag): boolean =>
  tagsIn(header).some((candidate) => candidate.startsWith(`"${stored}.`))

/** Runs a change only if the rows on which the commit is based meet the request's `If-Match` (A8.2). */
export type Precondition = <T>(change: () => Promise<T>) => Promise<T>

/**
 * Creates the `If-Match` condition for a change or deletion (A8.2). Returns undefined if the header is missing or `*`, and for the legacy
 * API, which has no conditions.
 */
export function preconditionOf(
  { method, etagFrom, path }: Operation,
  header: string | undefined,
  context: () => Context,
): Precondition | undefined {
  if (header === undefined || header.trim() === '*' || method === 'GET' || method === 'POST' || isV0(path))
    return undefined
  return async (change) => {
    // Rejects every `If-Match` for an object without a tag. First stages the change, so that a missing object or parent results in 404
    // (A4).
    if (!etagFrom)
      await change().catch((error) =>
        error instanceof ApiError && error.status === 404 ? Promise.reject(error) : null,
      )
    const tag = etagFrom && tagOf(v.parse(etagFrom.response, await etagFrom.handle(context())))
    if (!tag || !isCurrent(header, tag)) throw new ApiError('precondition_failed')
    return change()
  }
}
