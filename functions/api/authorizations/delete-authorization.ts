import { endAuthorization } from '#shared/access/end-authorization.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /authorizations/{id}',
  { summary: 'End an authorization', permission: 'clients:write', response: idOnly },
  ({ author, params }) => endAuthorization(author, params.id),
)
