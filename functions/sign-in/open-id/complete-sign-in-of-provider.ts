import { callbackAt } from '#shared/http/pages/callback-operation.ts'

/**
 * Callback of one `oidc` or `idp` provider, which the account chooses. Each provider has its own path, so that no provider receives codes
 * meant for a different one.
 */
export const handler = callbackAt(
  '/sign_in/callback/{auth_provider_id}',
  'Complete a sign-in at a provider of an account',
)
