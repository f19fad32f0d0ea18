import { Policy } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { uuidFilter } from '#shared/values/filters.ts'

export const listPolicies = operation(
  {
    method: 'GET',
    path: '/policies',
    summary: 'List the policies',
    permission: 'policies:read',
    filters: { group_id: uuidFilter, resource_id: uuidFilter },
    response: list(Policy),
  },
  ({ accountId, page }) => policies.list(accountId, page),
)

export const handler = lambda(listPolicies)
