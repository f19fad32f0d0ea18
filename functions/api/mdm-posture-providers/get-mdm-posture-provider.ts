import { PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /mdm_posture_providers/{id}',
  { summary: 'Show a posture provider', permission: 'mdm:read', response: data(PostureProvider) },
  ({ accountId, params }) => postureProviders.get(accountId, params.id),
)
