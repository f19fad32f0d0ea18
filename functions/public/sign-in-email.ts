import { handleEmailForm } from '#shared/http/pages/open-sign-in.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'

/** `POST /sign_in/{slug}`: handles the page's forms for an email, and for the passcode mailed to it. */
export const handler = pageHandler(
  { method: 'POST', path: '/sign_in/{slug}', step: (fields) => (fields.has('passcode') ? 'passcode' : 'start') },
  handleEmailForm,
)
