import * as v from 'valibot'
import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { PostureProvider, PostureProviderFields } from '#shared/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/posture-providers/store.ts'
import { getMdmPostureProvider } from './get-mdm-posture-provider.ts'

export const updateMdmPostureProvider = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/mdm_posture_providers/{id}',
    summary: 'Change a posture provider',
    permission: 'mdm:write',
    feature: 'device_posture',
    current: getMdmPostureProvider,
    body: { envelope: 'mdm_posture_provider', fields: v.partial(PostureProviderFields) },
    response: data(PostureProvider),
  },
  ({ author, params, draft }) => postureProviders.update(author, params.id, draft),
)

export const handler = lambda(updateMdmPostureProvider)
