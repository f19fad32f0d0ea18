import { useState } from 'react'
import { ownWrites } from '../client/queries.ts'
import { ActionButton } from '../parts/controls.tsx'
import { useStore } from '../parts/store.ts'
import { texts } from '../texts/texts.ts'
import type { Row } from './collection.ts'

type LiveRows = { rows: Row[]; changes: number; show: () => void }

/**
 * Keeps the rows of a list while others change it: values are updated in place, but rows that were added or removed wait until `show` is
 * called (K5.7). Another list (`key`), an own write and the first read are shown at once.
 */
export function useLiveRows(key: string, current: Row[] | undefined, isFetching: boolean): LiveRows {
  const writes = useStore(ownWrites)
  const [accepted, setAccepted] = useState({ key, writes, current, isSettled: false })
  const isOpen = accepted.key !== key || accepted.writes !== writes || !accepted.isSettled
  const isSettled = current !== undefined && !isFetching
  if (isOpen && (accepted.current !== current || accepted.isSettled !== isSettled || accepted.key !== key))
    setAccepted({ key, writes, current, isSettled })
  const fresh = current ?? []
  const kept = (isOpen ? current : accepted.current) ?? []
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const keptIds = new Set(kept.map(({ id }) => id))
  return {
    rows: kept.map((row) => byId.get(row.id) ?? row),
    changes: fresh.filter(({ id }) => !keptIds.has(id)).length + kept.filter(({ id }) => !byId.has(id)).length,
    show: () => setAccepted({ key, writes, current, isSettled: true }),
  }
}

/** Number of rows that others added or removed, with a button that shows them. */
export const LiveNotice = ({ changes, show }: Omit<LiveRows, 'rows'>) => (
  <div role="status">
    {changes > 0 && (
      <p className="remark live">
        {texts.counted('changes', changes)} ·
        <ActionButton tone="quiet" onPress={show}>
          {texts.actions.show}
        </ActionButton>
      </p>
    )}
  </div>
)
