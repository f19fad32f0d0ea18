import * as v from 'valibot'
import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { collections, covers, type Permission } from '../../core/permission.ts'
import { entity } from '../../table/entity.ts'
import { presenceItemKey } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'
import { field } from '../../values/field.ts'
import { NullableText, Timestamp } from '../../values/fields.ts'
import { stageToken, type TokenRow } from '../tokens/token.ts'

const knownScopes = new Set(['*', '*:read', ...collections.flatMap((name) => [`${name}:read`, `${name}:write`])])

/** Maximum number of scopes in a request, including duplicates. */
const maxScopes = 100

/** Schema of an API token's scopes (A13.1). Keeps the order of the request and drops duplicates. */
export const Scopes = field<string[]>(
  (input) => {
    if (!Array.isArray(input)) return { message: 'must be a list' }
    if (input.length === 0) return { message: 'should have at least 1 item(s)' }
    if (input.length > maxScopes) return { message: `should have at most ${maxScopes} item(s)` }
    const scopes = input.map((scope) => (typeof scope === 'string' ? scope.trim() : ''))
    return scopes.every((scope) => knownScopes.has(scope))
      ? { value: [...new Set(scopes)] }
      : { message: 'must be *, *:read, <collection>:read or <collection>:write' }
  },
  { type: 'array', items: { type: 'string', enum: [...knownScopes] }, minItems: 1, maxItems: maxScopes },
)

function mayGrant(scopes: readonly string[], scope: string): boolean {
  if (scope === '*') return scopes.includes('*')
  if (scope === '*:read') return scopes.includes('*') || scopes.includes('*:read')
  return covers(scopes, scope as Permission)
}

/**
 * Returns whether the author's scopes cover all scopes to grant. Undefined scopes stand for the service itself, which may grant any scope.
 */
export const mayGrantAll = ({ scopes }: Pick<Author, 'scopes'>, grantedScopes: string[]): boolean =>
  scopes === undefined || grantedScopes.every((scope) => mayGrant(scopes, scope))

export type ApiTokenRow = TokenRow & { name: string | null; scopes: string[] }

export const apiTokens = entity<ApiTokenRow>({
  name: 'api_tokens',
  defaults: { name: null },
  indexes: { actor_id: { value: (row) => row.actor_id, counted: true } },
  redact: ['secret_hash'],
})

/** API token in API responses, without its secret (A13). */
export const ApiToken = v.object({
  id: v.string(),
  actor_id: v.string(),
  name: v.nullable(v.string()),
  scopes: v.array(v.string()),
  expires_at: v.string(),
  last_seen_at: v.nullable(v.string()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** Response to the creation of an API token, the only response that contains the secret. */
export const ShownApiToken = v.object({ ...ApiToken.entries, token: v.string() })

export const ApiTokenFields = v.object({
  name: v.optional(NullableText(255)),
  expires_at: Timestamp,
  scopes: v.optional(Scopes),
})

export function deleteApiToken(transaction: Transaction, token: ApiTokenRow): void {
  transaction.delete(apiTokens, token)
  transaction.remove(presenceItemKey(transaction.accountId, apiTokens.name, token.id))
}

export type LastUse = { last_seen_at?: string }

/**
 * Reads `last_seen_at` of actors or API tokens from their presence items, in the order of `ids`. Returns null for an id that was never
 * seen.
 */
export async function readLastSeen(account: string, collection: string, ids: string[]): Promise<(string | null)[]> {
  const presences = await getItems<LastUse>(ids.map((id) => presenceItemKey(account, collection, id)))
  return presences.map((item) => item?.last_seen_at ?? null)
}

export type MintedApiToken = ApiTokenRow & { last_seen_at: null; token: string }

/** Stages a new API token (A13). Reuses the token that an `earlier` attempt of the commit created, if there is one. */
export const mintApiToken = (
  transaction: Transaction,
  actorId: string,
  fields: Pick<ApiTokenRow, 'name' | 'scopes' | 'expires_at'>,
  earlier?: MintedApiToken,
): MintedApiToken => ({ ...stageToken(transaction, 'api', apiTokens, actorId, fields, earlier), last_seen_at: null })
