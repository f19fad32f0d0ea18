import { Policy } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getPolicy } from './get-policy.ts'

export const handler = operation(
  'DELETE /policies/{id}',
  {
    summary: 'Delete a policy; the access it granted ends',
    permission: 'policies:write',
    etagFrom: getPolicy.operation,
    response: data(Policy),
  },
  ({ author, params }) => policies.remove(author, params.id),
)
