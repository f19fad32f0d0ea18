import { redirectToProvider } from '#shared/http/pages/open-sign-in.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'

/** Redirects to the provider selected by a link on the sign-in page. */
export const handler = pageHandler(
  { method: 'GET', path: '/sign_in/{slug}/start', step: () => 'start' },
  redirectToProvider,
)
