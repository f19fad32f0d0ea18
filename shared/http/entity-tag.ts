import { createHash } from 'node:crypto'
import { isObject } from '../core/json/is-object.ts'
import { toJson } from '../core/json/json.ts'

/** The two parts of an object's tag (A8.2): `live` covers what changes without an edit. */
export type EntityTag = { stored: string; live: string }

const liveFields =
  /^(online|public_key|gateway_token_id|rotated_at|last_seen_\w+|last_attested_\w+|synced_at|callback_uri|last_error|last_error_at|error|error_count|error_emailed_at)$/

/** Shown in the answer that creates an object, and no part of it. */
const shownOnce = ['token', 'public_jwk']

const digest = (fields: [string, unknown][]): string =>
  createHash('sha256')
    .update(toJson(fields.sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('base64url')
    .slice(0, 16)

/** The tag of the single object of a response body; null where it is a list, or something else than an object. */
export function tagOf(body: unknown): EntityTag | null {
  const data = isObject(body) ? body.data : undefined
  if (!isObject(data) || !('id' in data || 'log_id' in data)) return null
  const fields = Object.entries(data).filter(([name]) => !shownOnce.includes(name))
  const isLive = ([name]: [string, unknown]) => liveFields.test(name)
  return { stored: digest(fields.filter((field) => !isLive(field))), live: digest(fields.filter(isLive)) }
}

export const tagText = ({ stored, live }: EntityTag): string => `"${stored}.${live}"`

const tagsIn = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** `If-None-Match` (RFC 9110, 13.1.2): whether the whole tag is among those the caller has. */
export const isKnown = (header: string, tag: string): boolean =>
  header.trim() === '*' || tagsIn(header).some((known) => known.replace(/^W\//, '') === tag)

/** `If-Match` (A8.2): whether the stored part is the one the caller has seen; weak tags never match. */
export const isCurrent = (header: string, { stored }: EntityTag): boolean =>
  tagsIn(header).some((known) => known.startsWith(`"${stored}.`))
