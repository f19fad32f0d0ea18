import { nothing } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import * as rules from '#shared/v0/rules/store.ts'

export const deleteV0Rule = operation(
  {
    method: 'DELETE',
    path: '/v0/rules/{id}',
    summary: 'Delete a legacy rule',
    permission: 'v0:write',
    response: nothing,
    status: 204,
  },
  ({ author, params }) => rules.remove(author, params.id),
)

export const handler = lambda(deleteV0Rule)
