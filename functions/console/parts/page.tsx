import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { texts } from '../texts/texts.ts'

/** Path of the page that is shown; undefined until the first page. */
let shownPath: string | undefined

/** True after the back or forward button, whose page scrolls to its earlier position. */
let isReturning = false
const noteReturn = () => {
  isReturning = true
}

/** Sets the title of the tab. After a navigation, moves the focus to the content, so that screen readers announce the page. */
export function usePageTitle(title: string): void {
  const [path] = useLocation()
  useEffect(() => {
    document.title = `${title} · ${texts.product}`
  }, [title])
  useEffect(() => {
    addEventListener('popstate', noteReturn)
    return () => removeEventListener('popstate', noteReturn)
  }, [])
  useEffect(() => {
    if (shownPath !== undefined && shownPath !== path) {
      document.getElementById('content')?.focus({ preventScroll: true })
      if (!isReturning) scrollTo(0, 0)
    }
    shownPath = path
    isReturning = false
  }, [path])
}

type Props = {
  title: ReactNode
  /** Number beside the title; null if it is not known. */
  total?: number | null
  badges?: ReactNode
  /** Link above the title to the page that contains this one. */
  back?: { to: string; name: ReactNode }
  /** Actions of the page. */
  children?: ReactNode
}

/** Header of a page: the way back, its title and its actions. */
export const PageHeader = ({ title, total = null, badges, back, children }: Props) => (
  <>
    {back && (
      <nav className="breadcrumb" aria-label={texts.breadcrumb}>
        <Link href={back.to}>{back.name}</Link>
      </nav>
    )}
    <header className="page-header">
      <div className="title-line">
        <h1>
          {title}
          {total !== null && <span className="total">{texts.number(total)}</span>}
        </h1>
        {badges}
      </div>
      {children && <div className="page-actions">{children}</div>}
    </header>
  </>
)
