import * as v from 'valibot'
import { Policy } from '#shared/domain/policies/policy.ts'
import { PolicyFields } from '#shared/domain/policies/policy-fields.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getPolicy } from './get-policy.ts'

export const updatePolicy = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/policies/{id}',
    summary: 'Change a policy',
    permission: 'policies:write',
    etagFrom: getPolicy,
    body: { envelope: 'policy', fields: v.partial(PolicyFields) },
    refusals: ['feature_not_enabled'],
    response: data(Policy),
  },
  ({ author, params, raw, draft }) => policies.update(author, params.id, raw, draft),
)

export const handler = lambda(updatePolicy)
