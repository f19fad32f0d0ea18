import { PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getMdmPostureProvider } from './get-mdm-posture-provider.ts'

export const handler = operation(
  'DELETE /mdm_posture_providers/{id}',
  {
    summary: 'Delete a posture provider with its devices',
    permission: 'mdm:write',
    etagFrom: getMdmPostureProvider.operation,
    response: data(PostureProvider),
  },
  ({ author, params }) => postureProviders.remove(author, params.id),
)
