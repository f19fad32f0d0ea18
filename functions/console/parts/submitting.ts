import type { FormEvent } from 'react'

/** Handler that does the work of a form in the place of the browser's own request. */
export const submitting = (work: () => unknown) => (event: FormEvent) => {
  event.preventDefault()
  work()
}
