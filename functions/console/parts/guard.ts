import { useEffect } from 'react'
import { useBrowserLocation } from 'wouter/use-browser-location'
import { texts } from '../texts/texts.ts'

/** Address of the form whose changes were not saved. */
let unsavedForm: string | undefined

export const hasUnsavedForm = (): boolean => unsavedForm !== undefined

const mayLeave = (): boolean => {
  // The browser's own dialog is used, because the navigation must wait for the answer.
  const leaves = unsavedForm === undefined || window.confirm(texts.form.leave)
  if (leaves) unsavedForm = undefined
  return leaves
}

/** Returns to an unsaved form at the back button. Chromium calls listeners of the window in their order, so this one must precede the router's. */
export const guardBackButton = (): void =>
  addEventListener('popstate', (event) => {
    if (mayLeave()) return
    event.stopImmediatePropagation()
    history.pushState(null, '', unsavedForm)
  })

/** Location hook of the router. Confirms with the person before a link or the back button discards a form. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [location, navigate] = useBrowserLocation(options)
  return [location, (to, more) => (mayLeave() ? navigate(to, more) : undefined)]
}

/** Protects the changes of a form for as long as `unsaved` is true. */
export function useUnsavedGuard(unsaved: boolean): () => void {
  useEffect(() => {
    unsavedForm = unsaved ? location.href : undefined
    if (!unsaved) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => {
      unsavedForm = undefined
      removeEventListener('beforeunload', onUnload)
    }
  }, [unsaved])
  return () => {
    unsavedForm = undefined
  }
}
