import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Rule, V0RuleFields } from '#shared/v0/rules/rule.ts'
import * as rules from '#shared/v0/rules/store.ts'

export const createV0Rule = operation(
  {
    method: 'POST',
    path: '/v0/rules',
    summary: 'Create a legacy rule',
    permission: 'v0:write',
    body: { envelope: 'rule', fields: V0RuleFields },
    response: data(V0Rule),
    status: 201,
    location: ({ data }) => `/v0/rules/${data.id}`,
  },
  ({ author, draft }) => rules.create(author, draft),
)

export const handler = lambda(createV0Rule)
