import { Policy } from '#shared/domain/policies/policy.ts'
import { PolicyFields } from '#shared/domain/policies/policy-fields.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createPolicy = operation(
  {
    method: 'POST',
    path: '/policies',
    summary: 'Create a policy',
    permission: 'policies:write',
    body: { envelope: 'policy', fields: PolicyFields },
    refusals: ['feature_not_enabled'],
    response: data(Policy),
    status: 201,
    location: ({ data }) => `/policies/${data.id}`,
  },
  ({ author, draft }) => policies.create(author, draft),
)

export const handler = lambda(createPolicy)
