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

type EmptyProps = {
  title: string
  /** True if nothing else is on the page, so that the title is its main heading. */
  isPage?: boolean
  children?: ReactNode
  action?: ReactNode
}

export function Empty({ title, isPage, children, action }: EmptyProps) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className="empty">
      <Title className="empty-title">{title}</Title>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

type FailedProps = { problem: Problem; onRetry?: () => void; title?: string }

/** Shows why a request failed, and its id for the operator (A5). With a title, it is the content of a page. */
export function Failed({ problem, onRetry, title }: FailedProps) {
  return (
    <div className="failed" role="alert">
      {title && <h1>{title}</h1>}
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
