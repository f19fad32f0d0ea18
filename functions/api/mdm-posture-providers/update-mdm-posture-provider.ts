import * as v from 'valibot'
import { PostureProvider, PostureProviderFields } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getMdmPostureProvider } from './get-mdm-posture-provider.ts'

export const updateMdmPostureProvider = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/mdm_posture_providers/{id}',
    summary: 'Change a posture provider',
    permission: 'mdm:write',
    feature: 'device_posture',
    etagFrom: getMdmPostureProvider,
    body: { envelope: 'mdm_posture_provider', fields: v.partial(PostureProviderFields) },
    response: data(PostureProvider),
  },
  ({ author, params, draft }) => postureProviders.update(author, params.id, draft),
)

export const handler = lambda(updateMdmPostureProvider)
