import type { Page } from '../page.ts'
import type { Entry } from './usable-user.ts'

/** A page of what can be used of some rows, and what cannot. */
export function pageOf<T>(found: Entry<T>[], next: string | null, barren = false): Page<T> {
  return {
    entries: found.flatMap((one) => ('entry' in one ? [one.entry] : [])),
    skipped: found.flatMap((one) => ('skipped' in one ? [one.skipped] : [])),
    next,
    barren,
  }
}
