import { emptyAnswer, operation } from '#shared/http/lambda.ts'
import * as rules from '#shared/v0/rule-store.ts'

export const handler = operation(
  'DELETE /v0/rules/{id}',
  { summary: 'Delete a legacy rule', permission: 'v0:write', response: emptyAnswer, status: 204 },
  ({ author, params }) => rules.remove(author, params.id),
)
