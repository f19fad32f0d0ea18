import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Rule, V0RuleFields } from '#shared/v0/rules/rule.ts'
import * as rules from '#shared/v0/rules/store.ts'

export const updateV0Rule = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/v0/rules/{id}',
    summary: 'Change a legacy rule',
    permission: 'v0:write',
    body: { envelope: 'rule', fields: V0RuleFields },
    response: data(V0Rule),
  },
  ({ author, params, draft }) => rules.update(author, params.id, draft),
)

export const handler = lambda(updateV0Rule)
