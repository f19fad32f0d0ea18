import { isDeepStrictEqual } from 'node:util'
import { checkAdministration } from '../../commit/check-administration.ts'
import type { Author } from '../../commit/commit.ts'
import type { DirectoryInput, DirectoryRow } from './directory.ts'

/** Returns whether a field of a directory decides which people it delivers, or what becomes of those it no longer has. */
function decides(before: DirectoryRow, [field, value]: [string, unknown]): boolean {
  if (field === 'name') return false
  if (field === 'is_disabled') return before.is_disabled && value === false
  if (field === 'rotate_key') return value === true
  if (field === 'accept_deletions') return value === true && !before.accept_deletions
  return !isDeepStrictEqual(value, before[field as keyof DirectoryRow] ?? null)
}

/**
 * Refuses a change of what a directory that matches administrators delivers, and of whether it matches them (A26.2(5)).
 * Repeated values, a new name and disabling pass.
 * @param change what was sent, its secret in the stored form
 * @throws ApiError `scope_exceeded`
 */
export function checkSourceChange(author: Author, before: DirectoryRow, change: DirectoryInput): void {
  const { matches_administrators = before.matches_administrators } = change
  if (!before.matches_administrators && !matches_administrators) return
  if (!Object.entries(change).some((field) => decides(before, field))) return
  checkAdministration(author, 'Changing a directory that matches administrators')
}
