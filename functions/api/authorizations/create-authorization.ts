import { authorize } from '#shared/access/authorizations/authorize.ts'
import { AuthorizationFields, GrantedAuthorization } from '#shared/access/authorizations/granted-authorization.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createAuthorization = operation(
  {
    method: 'POST',
    path: '/client/authorizations',
    summary: 'Authorize a client for a resource',
    credential: 'client',
    body: { envelope: 'authorization', fields: AuthorizationFields },
    refusals: ['not_found', 'conditions_violated', 'gateway_offline', 'version_mismatch', 'no_session'],
    response: data(GrantedAuthorization),
    status: 201,
    repeatable: true,
    secret: true,
  },
  ({ caller, subject, input }) => authorize(caller, subject, input()),
)

export const handler = lambda(createAuthorization)
