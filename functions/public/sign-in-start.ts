import { leadToProvider } from '#shared/http/pages/lead-to-provider.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'

/** `GET /sign_in/{slug}/start`: what the page's links lead to, and from there to a provider. */
export const handler = pageHandler(
  { method: 'GET', path: '/sign_in/{slug}/start', step: () => 'start' },
  leadToProvider,
)
