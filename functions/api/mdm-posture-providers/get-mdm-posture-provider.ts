import { PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getMdmPostureProvider = operation(
  {
    method: 'GET',
    path: '/mdm_posture_providers/{id}',
    summary: 'Show a posture provider',
    permission: 'mdm:read',
    feature: 'device_posture',
    response: data(PostureProvider),
  },
  ({ accountId, params }) => postureProviders.get(accountId, params.id),
)

export const handler = lambda(getMdmPostureProvider)
