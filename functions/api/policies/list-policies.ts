import { list } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Policy } from '#shared/policies/policy.ts'
import * as policies from '#shared/policies/store.ts'
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
