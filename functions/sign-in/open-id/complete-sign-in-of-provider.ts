import { callbackAt } from '#shared/http/pages/callback-operation.ts'

/** For the kinds whose providers an account chooses, so that no other takes what is meant for one: oidc and idp. */
export const handler = callbackAt(
  '/sign_in/callback/{auth_provider_id}',
  "Lead back from an account's own provider to where the sign-in was started",
)
