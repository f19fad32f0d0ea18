import { useEffect } from 'react'
import { useBrowserLocation } from 'wouter/use-browser-location'
import { texts } from '../texts/texts.ts'

/** True while a form has changes that were not saved. */
let isUnsaved = false

export const hasUnsavedForm = (): boolean => isUnsaved

const mayLeave = (): boolean => {
  // The browser's own dialog is used, because the navigation must wait for the answer.
  const leaves = !isUnsaved || window.confirm(texts.form.leave)
  if (leaves) isUnsaved = false
  return leaves
}

/** Location hook of the router. Confirms with the person before a link or the back button discards a form. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [location, navigate] = useBrowserLocation(options)
  return [location, (to, more) => (mayLeave() ? navigate(to, more) : undefined)]
}

/** Protects the changes of a form for as long as `unsaved` is true. */
export function useUnsavedGuard(unsaved: boolean): () => void {
  useEffect(() => {
    isUnsaved = unsaved
    if (!unsaved) return
    const here = location.href
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const onBack = (event: PopStateEvent) => {
      if (mayLeave()) return
      // Returns to the form before the router is notified.
      event.stopImmediatePropagation()
      history.pushState(null, '', here)
    }
    addEventListener('beforeunload', onUnload)
    addEventListener('popstate', onBack, { capture: true })
    return () => {
      isUnsaved = false
      removeEventListener('beforeunload', onUnload)
      removeEventListener('popstate', onBack, { capture: true })
    }
  }, [unsaved])
  return () => {
    isUnsaved = false
  }
}
