import { parseTimestamp } from '../core/clock.ts'
import type { Draft } from './draft.ts'

/** False for an expired token, which no list or count includes (A13.4, A24.2). */
export const isUnexpired = ({ expires_at }: { expires_at: string }, now: number): boolean =>
  (parseTimestamp(expires_at) ?? 0) > now

/** Rejects an expiry in the past (A13.1, A24.1). */
export function checkExpiry(draft: Draft<{ expires_at: string }>, now: number): void {
  const { expires_at } = draft.fields
  if (expires_at !== undefined && !isUnexpired({ expires_at }, now)) draft.reject('expires_at', 'must be in the future')
}
