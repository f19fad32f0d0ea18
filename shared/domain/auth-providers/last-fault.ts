import { timestamp } from '../../core/clock.ts'
import { changeItem } from '../../table/change-item.ts'
import { type Key, presenceItemKey } from '../../table/keys.ts'
import { removeItem } from '../../table/put-item.ts'
import { getItem, getItems } from '../../table/read.ts'
import { authProviders, type ProviderKind } from './auth-provider.ts'

/** Last sign-in fault of a provider, for administrators. The fault is stored in a presence item, so no commit is needed. */
export type LastFault = { last_error: string | null; last_error_at: string | null }

export const noFault: LastFault = { last_error: null, last_error_at: null }

/** Minimum time between two writes of a fault. Writes are limited because anyone can cause faults by starting sign-ins that fail. */
const minuteMicros = 60_000_000

export const lastFaultKey = (account: string, kind: ProviderKind, id: string): Key =>
  presenceItemKey(account, authProviders[kind].name, id)

export async function lastFaults(account: string, kind: ProviderKind, rows: readonly { id: string }[]) {
  const items = await getItems<Key & Partial<LastFault>>(rows.map(({ id }) => lastFaultKey(account, kind, id)))
  return items.map(
    (fault): LastFault => ({ last_error: fault?.last_error ?? null, last_error_at: fault?.last_error_at ?? null }),
  )
}

export const lastFault = async (account: string, kind: ProviderKind, row: { id: string }): Promise<LastFault> =>
  (await lastFaults(account, kind, [row]))[0] ?? noFault

/** Stores a provider's sign-in fault, unless one was stored within the last minute. */
export async function noteFault(key: Key, sentence: string, now: number): Promise<void> {
  await changeItem(key, {
    set: { last_error: sentence, last_error_at: timestamp(now), kind: 'presence' },
    when: 'attribute_not_exists(last_error_at) OR last_error_at <= :before',
    values: { before: timestamp(now - minuteMicros) },
  })
}

/** Deletes the stored fault of a provider that works again. Does nothing if no fault is stored. */
export async function forgetFault(key: Key): Promise<void> {
  if (await getItem(key)) await removeItem(key)
}
