import { isObject } from '../../core/json/is-object.ts'
import { emptyProfile, type ProfileFields } from '../../sign-in/identities/profile-fields.ts'
import { checkEmail } from '../../values/email.ts'
import {
  type DirectoryGroup,
  type DirectoryMember,
  type DirectoryUser,
  ProviderFault,
  type ProviderPage,
  type Skipped,
} from '../adapter.ts'
import { type Call, type ResponseFields, responseName } from './call.ts'

export type EntryRow = ResponseFields & { id: string }

/** Creates the fault for a response whose data the run must not use (I5.1). */
export const invalidData = (call: Call, problem: string, faultClass: 'fatal' | 'position_lost' = 'fatal') =>
  new ProviderFault(faultClass, `${responseName(call)} returned invalid data: ${problem}.`, { finalClass: 'fatal' })

export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null

/**
 * Returns the entries of a list, each with its id.
 * @throws ProviderFault `fatal` if the list or an id is missing
 */
export function entriesOfResponse(call: Call, list: unknown, name: string, id = 'id'): EntryRow[] {
  if (!Array.isArray(list)) throw invalidData(call, `${name} is missing`)
  return list.map((row: unknown) => {
    const found = isObject(row) ? row[id] : undefined
    if (!isObject(row) || typeof found !== 'string' || found === '') {
      throw invalidData(call, `an entry of ${name} has no ${id}`)
    }
    return { ...row, id: found }
  })
}

/**
 * Returns the next position.
 * @throws ProviderFault `position_lost` if the next position is the current one
 */
export function checkNextPosition(call: Call, next: string | null, current: string | null): string | null {
  if (next === null || next !== current) return next
  throw invalidData(call, 'its next page is the same page', 'position_lost')
}

/**
 * Compares the number of entries read with the number that the provider states.
 * @throws ProviderFault `position_lost` if entries are missing, because some may have been removed while the list was read
 */
export function checkCount(call: Call, read: number, stated: number | null): void {
  if (stated === null || read >= stated) return
  throw invalidData(call, `it states ${stated} entries but lists ${read}`, 'position_lost')
}

export type ProviderEntry<T> = { entry: T } | { skipped: Skipped }

type Person = Partial<ProfileFields> & { idp_id: string; email: string | null; name: string | null; active: boolean }

/**
 * Converts a person, but skips active people without a valid email (A12.2). Inactive people need no email, because they only lose access.
 */
export function usableUser({ email: address, ...person }: Person): ProviderEntry<DirectoryUser> {
  const { idp_id, name, active } = person
  const checked = address === null ? null : checkEmail(address.trim())
  const email = checked && 'email' in checked ? checked.email : null
  if (active && email === null) return { skipped: { idp_id, name, reason: checked ? 'invalid_email' : 'no_email' } }
  return { entry: { ...emptyProfile, ...person, name: name ?? address ?? idp_id, email } }
}

export const directoryGroup = (
  group: Pick<DirectoryGroup, 'idp_id' | 'name'> & Partial<DirectoryGroup>,
): DirectoryGroup => ({ email: null, entity_type: 'group', membership_version: null, stated_members: null, ...group })

export type RowPage<R> = { rows: R[]; next: string | null; barren: boolean }

export function toProviderPage<R, T>(
  { rows, next, barren }: RowPage<R>,
  entryOf: (row: R) => ProviderEntry<T>,
): ProviderPage<T> {
  const found = rows.map(entryOf)
  return {
    entries: found.flatMap((one) => ('entry' in one ? [one.entry] : [])),
    skipped: found.flatMap((one) => ('skipped' in one ? [one.skipped] : [])),
    next,
    barren,
  }
}

export const toMember = ({ id }: { id: string }): ProviderEntry<DirectoryMember> => ({ entry: { user: id } })

export class PageWatch {
  private readonly seen = new Map<string, Set<unknown>>()

  /**
   * Returns whether a page has no new rows, although another page follows. `current` is the position of the page; null for the first page.
   */
  isBarren(list: string, rows: ResponseFields[], current: string | null, next: string | null): boolean {
    const seenIds = (current === null ? undefined : this.seen.get(list)) ?? new Set()
    const before = seenIds.size
    for (const { id, email } of rows) seenIds.add(id ?? email)
    if (next === null) this.seen.delete(list)
    else this.seen.set(list, seenIds)
    return next !== null && seenIds.size === before
  }
}

/** Queries users one by one. Caches the results, so that a repeated call resumes after the last result. */
export function confirmEach(isKnown: (idpId: string) => Promise<boolean>): (idpIds: string[]) => Promise<string[]> {
  const results = new Map<string, boolean>()
  return async (idpIds) => {
    for (const id of idpIds) if (!results.has(id)) results.set(id, await isKnown(id))
    return idpIds.filter((id) => results.get(id))
  }
}

/** Caches the result of a request. If the request fails, the next call repeats it. */
export function memoize<T>(request: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let cached: Promise<T> | undefined
  const forget = () => {
    cached = undefined
  }
  return {
    get() {
      cached ??= request().catch((error) => {
        forget()
        throw error
      })
      return cached
    },
    forget,
  }
}

/**
 * Maximum number of consecutive pages without new entries (I5.1). A few are normal, because providers may filter pages. Tests lower this
 * limit.
 */
export const pageBounds = { barren: 1_000 }

/**
 * Counts consecutive pages without new entries.
 * @throws ProviderFault `fatal` when the maximum is reached
 */
export function countBarren(list: string, before: number, isBarren: boolean | undefined): number {
  const count = isBarren ? before + 1 : 0
  if (count < pageBounds.barren) return count
  const pages = `${pageBounds.barren.toLocaleString('en')} pages in a row of the list of ${list}`
  throw new ProviderFault('fatal', `Invalid data: ${pages} had no new entries, and the list continues.`)
}

/**
 * Reads all pages of a list.
 * @throws ProviderFault `fatal` if the list is endless
 */
export async function* readWholeList<P extends { next: string | null; barren: boolean }>(
  list: string,
  read: (position: string | null) => Promise<P>,
): AsyncGenerator<P> {
  let barren = 0
  for (let position: string | null = null; ; ) {
    const page: P = await read(position)
    yield page
    if (page.next === null) return
    barren = countBarren(list, barren, page.barren)
    position = page.next
  }
}
