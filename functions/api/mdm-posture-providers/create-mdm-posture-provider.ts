import { PostureProvider, PostureProviderFields } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createMdmPostureProvider = operation(
  {
    method: 'POST',
    path: '/mdm_posture_providers',
    summary: 'Create a posture provider',
    permission: 'mdm:write',
    feature: 'device_posture',
    body: { envelope: 'mdm_posture_provider', fields: PostureProviderFields },
    response: data(PostureProvider),
    status: 201,
    location: ({ data }) => `/mdm_posture_providers/${data.id}`,
  },
  ({ author, draft }) => postureProviders.create(author, draft),
)

export const handler = lambda(createMdmPostureProvider)
