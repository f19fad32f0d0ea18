import { data, operation } from '#shared/http/lambda.ts'
import { V0Rule, V0RuleChanges } from '#shared/v0/rule.ts'
import * as rules from '#shared/v0/rule-store.ts'

export const handler = operation(
  'PATCH /v0/rules/{id}',
  {
    summary: 'Change a legacy rule',
    permission: 'v0:write',
    body: { envelope: 'rule', fields: V0RuleChanges },
    response: data(V0Rule),
  },
  ({ author, params, draft }) => rules.update(author, params.id, draft),
)
