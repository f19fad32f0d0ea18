import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Rule } from '#shared/v0/rules/rule.ts'
import * as rules from '#shared/v0/rules/store.ts'

export const getV0Rule = operation(
  {
    method: 'GET',
    path: '/v0/rules/{id}',
    summary: 'Read a legacy rule',
    permission: 'v0:read',
    response: data(V0Rule),
  },
  ({ accountId, params }) => rules.get(accountId, params.id),
)

export const handler = lambda(getV0Rule)
