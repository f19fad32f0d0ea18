import { endAuthorization } from '#shared/access/end-authorization.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /authorizations/{id}',
  { summary: 'End an authorization', permission: 'clients:write', response: idOnly },
  ({ accountId, params }) => endAuthorization(accountId, params.id),
)
