import { useEffect } from 'react'
import { texts } from '../texts/texts.ts'

/** Sets the title of the tab, and moves the focus to the content so that screen readers announce the page. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`
  }, [title])
}
