import { NewPostureProviderFields, PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /mdm_posture_providers',
  {
    summary: 'Create a posture provider',
    permission: 'mdm:write',
    body: { envelope: 'mdm_posture_provider', fields: NewPostureProviderFields },
    refusals: ['limit_reached'],
    response: data(PostureProvider),
    location: true,
  },
  ({ author, draft }) => postureProviders.create(author, draft),
)
