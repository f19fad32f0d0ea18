import { Policy, PolicyFields } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /policies',
  {
    summary: 'Create a policy',
    permission: 'policies:write',
    body: { envelope: 'policy', fields: PolicyFields },
    refusals: ['feature_not_enabled'],
    response: data(Policy),
    location: true,
  },
  ({ author, draft }) => policies.create(author, draft),
)
