import { useEffect } from 'react'
import { texts } from '../texts/texts.ts'
import { ActionButton } from './controls.tsx'
import { createStore, useStore } from './store.ts'

const notice = createStore<{ text: string; id: number } | null>(null)

/** Milliseconds for which a notice is shown. */
const duration = 6000

/** Reports the outcome of an action in the corner of the page, also to screen readers. */
export const notify = (text: string): void => notice.set({ text, id: (notice.get()?.id ?? 0) + 1 })

export function NoticeRegion() {
  const current = useStore(notice)
  useEffect(() => {
    if (!current) return
    const timer = setTimeout(() => notice.set(null), duration)
    return () => clearTimeout(timer)
  }, [current])
  return (
    <div className="notices" role="status">
      {current && (
        <div className="notice" key={current.id}>
          <span>{current.text}</span>
          <ActionButton tone="quiet" icon="close" label={texts.actions.dismiss} onPress={() => notice.set(null)}>
            {null}
          </ActionButton>
        </div>
      )}
    </div>
  )
}
