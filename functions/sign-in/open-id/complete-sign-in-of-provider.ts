import { callbackAt } from '#shared/http/callback-operation.ts'
import { lambda } from '#shared/http/lambda.ts'
import { forBrowsers } from '#shared/http/pages/for-browsers.ts'

/** For the kinds whose providers an account chooses, so that no other takes what is meant for one: oidc and idp. */
export const completeSignInOfProvider = callbackAt(
  '/sign_in/callback/{auth_provider_id}',
  "Lead back from an account's own provider to where the sign-in was started",
)

export const handler = forBrowsers(lambda(completeSignInOfProvider))
