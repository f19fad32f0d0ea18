import { AuthorizationFields, authorize, GrantedAuthorization } from '#shared/access/authorize.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /client/authorizations',
  {
    summary: 'Authorize a client for a resource',
    credential: 'client',
    body: { envelope: 'authorization', fields: AuthorizationFields },
    refusals: ['not_found', 'conditions_violated', 'gateway_offline', 'version_mismatch', 'no_session'],
    response: data(GrantedAuthorization),
    repeatable: true,
    secret: true,
  },
  ({ caller, subject, input }) => authorize(caller, subject, input()),
)
