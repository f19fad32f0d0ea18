import { type FieldErrors, invalid } from '../errors.ts'
import { isUuid } from '../ids.ts'

const maxEntries = 10_000

function checkIds(ids: unknown[], errors: FieldErrors): void {
  const malformed = ids.filter((id) => typeof id !== 'string' || !isUuid(id))
  if (malformed.length > 0)
    errors.memberships = [...new Set(malformed.map((id) => `${shown(id)} is not a valid actor id`))]
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const lower = (ids: unknown[]): string[] => [...new Set((ids as string[]).map((id) => id.toLowerCase()))]

function checkSize(...lists: unknown[][]): void {
  if (lists.reduce((sum, list) => sum + list.length, 0) > maxEntries) {
    throw invalid({ memberships: [`should have at most ${maxEntries} item(s)`] })
  }
}

/** The actor ids of a `PUT` (A15.4). @throws ApiError `validation_failed` */
export function readWholeSet(raw: unknown): string[] {
  const entries = raw as unknown[]
  checkSize(entries)
  const errors: FieldErrors = {}
  const missing = entries.flatMap((entry, i) => {
    const id = typeof entry === 'object' && entry !== null ? (entry as { actor_id?: unknown }).actor_id : undefined
    return id === undefined || id === null || id === '' ? [`entry ${i} is missing actor_id`] : []
  })
  if (missing.length > 0) throw invalid({ memberships: missing })
  const ids = entries.map((entry) => (entry as { actor_id: unknown }).actor_id)
  checkIds(ids, errors)
  if (errors.memberships) throw invalid(errors)
  return lower(ids)
}

/** The additions and removals of a `PATCH` (A15.4). @throws ApiError `validation_failed` */
export function readEdit(raw: unknown): { add: string[]; remove: string[] } {
  const { add = [], remove = [] } = raw as { add?: unknown; remove?: unknown }
  const errors: FieldErrors = {}
  if (!Array.isArray(add)) errors.add = ['is invalid']
  if (!Array.isArray(remove)) errors.remove = ['is invalid']
  if (!Array.isArray(add) || !Array.isArray(remove)) throw invalid(errors)
  checkSize(add, remove)
  checkIds([...add, ...remove], errors)
  if (errors.memberships) throw invalid(errors)
  return { add: lower(add), remove: lower(remove) }
}
