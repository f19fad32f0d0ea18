import { PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /mdm_posture_providers',
  {
    summary: 'List the posture providers',
    permission: 'mdm:read',
    filters: { is_disabled: boolFilter },
    response: scannedList(PostureProvider),
  },
  ({ accountId, page }) => postureProviders.list(accountId, page),
)
