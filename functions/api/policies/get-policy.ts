import { Policy } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /policies/{id}',
  { summary: 'Read a policy', permission: 'policies:read', response: data(Policy) },
  ({ accountId, params }) => policies.get(accountId, params.id),
)
