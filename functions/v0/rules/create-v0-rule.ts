import { data, operation } from '#shared/http/lambda.ts'
import { V0Rule, V0RuleFields } from '#shared/v0/rule.ts'
import * as rules from '#shared/v0/rule-store.ts'

export const handler = operation(
  'POST /v0/rules',
  {
    summary: 'Create a legacy rule',
    permission: 'v0:write',
    body: { envelope: 'rule', fields: V0RuleFields },
    response: data(V0Rule),
    location: true,
  },
  ({ author, draft }) => rules.create(author, draft),
)
