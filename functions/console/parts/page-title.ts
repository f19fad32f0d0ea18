import { useEffect } from 'react'
import { useLocation } from 'wouter'
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
