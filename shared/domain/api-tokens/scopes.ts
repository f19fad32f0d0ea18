import type { Author } from '../../commit/commit.ts'
import { collections, covers, type Permission } from '../../core/permission.ts'
import { field } from '../../values/field.ts'

const known = new Set(['*', '*:read', ...collections.flatMap((name) => [`${name}:read`, `${name}:write`])])

/** Repeated ones count. */
const maxScopes = 100

/** Scopes of an API token (A13.1): known ones, each once, in the order sent. */
export const Scopes = field<string[]>(
  (input) => {
    if (!Array.isArray(input)) return { message: 'must be a list' }
    if (input.length === 0) return { message: 'should have at least 1 item(s)' }
    if (input.length > maxScopes) return { message: `should have at most ${maxScopes} item(s)` }
    const scopes = input.map((scope) => (typeof scope === 'string' ? scope.trim() : ''))
    return scopes.every((scope) => known.has(scope))
      ? { value: [...new Set(scopes)] }
      : { message: 'must be *, *:read, <collection>:read or <collection>:write' }
  },
  { type: 'array', items: { type: 'string', enum: [...known] }, minItems: 1, maxItems: maxScopes },
)

/** A token grants only what it may do itself (A13.3). */
function mayGrant(scopes: readonly string[], scope: string): boolean {
  if (scope === '*') return scopes.includes('*')
  if (scope === '*:read') return scopes.includes('*') || scopes.includes('*:read')
  return covers(scopes, scope as Permission)
}

/** Returns whether an author covers all scopes of a token; the service itself covers any. */
export const mayGrantAll = ({ scopes }: Pick<Author, 'scopes'>, granted: string[]): boolean =>
  scopes === undefined || granted.every((scope) => mayGrant(scopes, scope))
