import { callbackAt } from '#shared/http/callback-operation.ts'
import { lambda } from '#shared/http/lambda.ts'
import { forBrowsers } from '#shared/http/pages/for-browsers.ts'

/** For the kinds whose providers are the deployment's: suite and tenant. */
export const completeSignIn = callbackAt(
  '/sign_in/callback',
  'Lead back from a provider of the deployment to where the sign-in was started',
)

export const handler = forBrowsers(lambda(completeSignIn))
