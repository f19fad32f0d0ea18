import * as v from 'valibot'
import { PostureProvider, PostureProviderFields } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getMdmPostureProvider } from './get-mdm-posture-provider.ts'

export const handler = operation(
  'PATCH /mdm_posture_providers/{id}',
  {
    summary: 'Change a posture provider',
    permission: 'mdm:write',
    etagFrom: getMdmPostureProvider.operation,
    body: { envelope: 'mdm_posture_provider', fields: v.partial(PostureProviderFields) },
    response: data(PostureProvider),
  },
  ({ author, params, draft }) => postureProviders.update(author, params.id, draft),
)
