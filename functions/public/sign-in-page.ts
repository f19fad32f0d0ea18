import { openSignIn } from '#shared/http/pages/open-sign-in.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'
import { signInPage } from '#shared/http/pages/sign-in-pages.ts'

/** Serves the page with the ways to sign in to an account, for a client or for the portal. */
export const handler = pageHandler(
  { method: 'GET', path: '/sign_in/{slug}', step: () => 'page' },
  async ({ slug, fields }) => signInPage(await openSignIn(slug, fields)),
)
