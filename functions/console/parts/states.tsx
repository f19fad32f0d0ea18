import { type ReactNode, useEffect, useState } from 'react'
import type { Problem } from '../client/problem.ts'
import { texts } from '../texts/texts.ts'
import { ActionButton } from './controls.tsx'
import { ShownText } from './shown-text.tsx'

/** Shows that a read is in progress, after 200 ms, in the space that the result will take (K5.2). */
export function Loading({ rows = 6 }: { rows?: number }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={isLate ? 'loading late' : 'loading'} aria-busy="true">
      <span className="visually-hidden" role="status">
        {isLate ? texts.states.loading : ''}
      </span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity
        <span className="bar" key={row} />
      ))}
    </div>
  )
}

type EmptyProps = { title: string; children?: ReactNode; action?: ReactNode }

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

/** Shows why a request failed, and its id for the operator (A5). */
export function Failed({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div className="failed" role="alert">
      <p>
        <ShownText text={problem.message} />
      </p>
      {problem.requestId && (
        <p className="minor">
          {texts.states.requestId} <code>{problem.requestId}</code>
        </p>
      )}
      {onRetry && <ActionButton onPress={onRetry}>{texts.actions.retry}</ActionButton>}
    </div>
  )
}
