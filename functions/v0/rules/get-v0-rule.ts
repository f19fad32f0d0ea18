import { data, operation } from '#shared/http/lambda.ts'
import { V0Rule } from '#shared/v0/rule.ts'
import * as rules from '#shared/v0/rule-store.ts'

export const handler = operation(
  'GET /v0/rules/{id}',
  { summary: 'Read a legacy rule', permission: 'v0:read', response: data(V0Rule) },
  ({ accountId, params }) => rules.get(accountId, params.id),
)
