import { ApiError } from '../core/errors.ts'
import type { Author } from './commit.ts'

/** True for the service itself and for tokens with the scope `*`, which may grant administrator permissions (A3.3). */
export const mayAdminister = ({ scopes }: Pick<Author, 'scopes'>): boolean =>
  scopes === undefined || scopes.includes('*')

/** Rejects a change, such as `Creating an administrator`, by callers without the scope `*`. @throws ApiError `scope_exceeded` */
export function checkAdministration(author: Pick<Author, 'scopes'>, change: string): void {
  if (mayAdminister(author)) return
  throw new ApiError(
    'scope_exceeded',
    `${change} requires a token with the scope *, because it can grant administrator rights.`,
  )
}
