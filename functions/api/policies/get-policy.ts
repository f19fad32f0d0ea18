import { Policy } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
