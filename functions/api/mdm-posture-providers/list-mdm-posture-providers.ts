import { PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { list, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /mdm_posture_providers',
  { summary: 'List the posture providers', permission: 'mdm:read', filters: {}, response: list(PostureProvider) },
  ({ accountId, page }) => postureProviders.list(accountId, page),
)
