import { operation } from '#shared/http/lambda.ts'
import { v0List } from '#shared/v0/list-rows.ts'
import { V0Rule } from '#shared/v0/rule.ts'
import * as rules from '#shared/v0/rule-store.ts'

export const handler = operation(
  'GET /v0/rules',
  { summary: 'List the legacy rules', permission: 'v0:read', filters: {}, response: v0List(V0Rule) },
  ({ accountId, page }) => rules.list(accountId, page),
)
