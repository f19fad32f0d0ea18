import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { texts } from '../texts/texts.ts'

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
