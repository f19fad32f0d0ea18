import { Policy } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getPolicy } from './get-policy.ts'

export const deletePolicy = operation(
  {
    method: 'DELETE',
    path: '/policies/{id}',
    summary: 'Delete a policy; the access it granted ends',
    permission: 'policies:write',
    etagFrom: getPolicy,
    response: data(Policy),
  },
  ({ author, params }) => policies.remove(author, params.id),
)

export const handler = lambda(deletePolicy)
