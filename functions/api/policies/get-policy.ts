import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Policy } from '#shared/policies/policy.ts'
import * as policies from '#shared/policies/store.ts'

export const getPolicy = operation(
  {
    method: 'GET',
    path: '/policies/{id}',
    summary: 'Read a policy',
    permission: 'policies:read',
    response: data(Policy),
  },
  ({ accountId, params }) => policies.get(accountId, params.id),
)

export const handler = lambda(getPolicy)
