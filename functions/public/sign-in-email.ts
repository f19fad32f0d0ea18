import { handleEmailForm } from '#shared/http/pages/open-sign-in.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'

/** Handles both forms of the sign-in page: the one for an email, and the one for the passcode mailed to that email. */
export const handler = pageHandler(
  { method: 'POST', path: '/sign_in/{slug}', step: (fields) => (fields.has('passcode') ? 'passcode' : 'start') },
  handleEmailForm,
)
