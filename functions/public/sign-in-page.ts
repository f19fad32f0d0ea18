import { openSignIn } from '#shared/http/pages/open-sign-in.ts'
import { pageHandler } from '#shared/http/pages/page-handler.ts'
import { signInPage } from '#shared/http/pages/sign-in-pages.ts'

/** What the callback of a sign-in can have told a client or portal (I2.2), in plain words. */
const refusals = new Map([
  [
    'access_denied',
    'You were not signed in: you stopped, or you have no access here. Try again or another way, or ask whoever administers the network access of your company.',
  ],
])

/** `GET /sign_in/{slug}`: the ways to sign in to an account, for a client or a portal. */
export const handler = pageHandler(
  { method: 'GET', path: '/sign_in/{slug}', step: () => 'page' },
  async ({ slug, fields }) =>
    signInPage({ ...(await openSignIn(slug, fields)), error: refusals.get(fields.get('error') ?? '') }),
)
