import { ApiError } from '../core/errors.ts'
import type { Author } from './commit.ts'

/** Returns whether the author may grant administrator permissions: the service itself, or a token with scope `*` (A3.3). */
export const mayAdminister = ({ scopes }: Pick<Author, 'scopes'>): boolean =>
  scopes === undefined || scopes.includes('*')

/** Refuses a change, such as `Creating an administrator`, to callers without `*`. @throws ApiError `scope_exceeded` */
export function checkAdministration(author: Pick<Author, 'scopes'>, change: string): void {
  if (mayAdminister(author)) return
  throw new ApiError(
    'scope_exceeded',
    `${change} requires a token with the scope *, because it can grant administrator rights.`,
  )
}
