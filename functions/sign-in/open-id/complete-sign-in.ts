import { callbackAt } from '#shared/http/pages/callback-operation.ts'

/** For the kinds whose providers are the deployment's: suite and tenant. */
export const handler = callbackAt(
  '/sign_in/callback',
  'Lead back from a provider of the deployment to where the sign-in was started',
)
