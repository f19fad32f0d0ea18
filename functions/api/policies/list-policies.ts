import { Policy } from '#shared/domain/policies/policy.ts'
import * as policies from '#shared/domain/policies/store.ts'
import { operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter, uuidFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /policies',
  {
    summary: 'List the policies',
    permission: 'policies:read',
    filters: { group_id: uuidFilter, resource_id: uuidFilter, is_disabled: boolFilter, orphaned: boolFilter },
    response: scannedList(Policy),
  },
  ({ accountId, page }) => policies.list(accountId, page),
)
