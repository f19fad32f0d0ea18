import { callbackAt } from '#shared/http/pages/callback-operation.ts'

/** Callback of the `suite` and `tenant` providers, which the deployment configures. */
export const handler = callbackAt('/sign_in/callback', 'Complete a sign-in at a provider of the deployment')
