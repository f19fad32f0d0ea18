import * as v from 'valibot'
import { Policy, PolicyFields } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getPolicy } from './get-policy.ts'

export const handler = operation(
  'PATCH /policies/{id}',
  {
    summary: 'Change a policy',
    permission: 'policies:write',
    etagFrom: getPolicy.operation,
    body: { envelope: 'policy', fields: v.partial(PolicyFields) },
    refusals: ['feature_not_enabled'],
    response: data(Policy),
  },
  ({ author, params, raw, draft }) => policies.update(author, params.id, raw, draft),
)
