import { callbackAt } from '#shared/http/pages/callback-operation.ts'

/** Callback of the `suite` and `tenant` providers, which the deployment configures. */
export const handler = callbackAt(
  '/sign_in/callback',
  'Lead back from a provider of the deployment to where the sign-in was started',
)
