import { openSignIn } from '#shared/http/pages/open-sign-in.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'
import { signInPage } from '#shared/http/pages/sign-in-pages.ts'

export const handler = pageHandler(
  { method: 'GET', path: '/sign_in/{slug}', step: () => 'page' },
  async ({ slug, fields, address }) => signInPage(await openSignIn(slug, fields, address)),
)
