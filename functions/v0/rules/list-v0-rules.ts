import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Rule } from '#shared/v0/rules/rule.ts'
import * as rules from '#shared/v0/rules/store.ts'
import { v0List } from '#shared/v0/values/list-rows.ts'

export const listV0Rules = operation(
  {
    method: 'GET',
    path: '/v0/rules',
    summary: 'List the legacy rules',
    permission: 'v0:read',
    filters: {},
    response: v0List(V0Rule),
  },
  ({ accountId, page }) => rules.list(accountId, page),
)

export const handler = lambda(listV0Rules)
