import { type ReactNode, useEffect, useState } from 'react'
import type { Problem } from '../client/problem.ts'
import { texts } from '../texts/texts.ts'
import { ActionButton, ActionLink } from './controls.tsx'
import { ShownText } from './shown-text.tsx'
import { Time } from './time.tsx'

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

type NotFoundProps = { to: string; name: ReactNode; children?: ReactNode }

/** Page of an address that names nothing, with a link to another page. */
export const NotFound = ({ to, name, children = texts.states.notFoundHint }: NotFoundProps) => (
  <Empty isPage title={texts.states.notFound} action={<ActionLink to={to}>{name}</ActionLink>}>
    {children}
  </Empty>
)

type FailedProps = { problem: Problem; onRetry?: () => void; title?: string | undefined }

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

type Read = {
  data: unknown
  error: Problem | null
  isLoading: boolean
  dataUpdatedAt: number
  refetch: () => Promise<unknown>
}

/** Shows that a read is in progress, has failed, or has failed again so that the page shows older data. `title` is as in `Failed`. */
export function ReadState({ read, rows, title }: { read: Read; rows: number; title?: string }) {
  if (read.isLoading) return <Loading rows={rows} />
  if (!read.error) return null
  if (!read.data) return <Failed title={title} problem={read.error} onRetry={() => void read.refetch()} />
  return (
    <p className="remark" role="status">
      {texts.states.stale} <Time value={new Date(read.dataUpdatedAt).toISOString()} />
    </p>
  )
}
