import { PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getMdmPostureProvider } from './get-mdm-posture-provider.ts'

export const deleteMdmPostureProvider = operation(
  {
    method: 'DELETE',
    path: '/mdm_posture_providers/{id}',
    summary: 'Delete a posture provider with its devices',
    permission: 'mdm:write',
    feature: 'device_posture',
    etagFrom: getMdmPostureProvider,
    response: data(PostureProvider),
  },
  ({ author, params }) => postureProviders.remove(author, params.id),
)

export const handler = lambda(deleteMdmPostureProvider)
