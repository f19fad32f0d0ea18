import { redirectToProvider } from '#shared/http/pages/open-sign-in.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'

/** `GET /sign_in/{slug}/start`: target of the page's links, which redirects to a provider. */
export const handler = pageHandler(
  { method: 'GET', path: '/sign_in/{slug}/start', step: () => 'start' },
  redirectToProvider,
)
