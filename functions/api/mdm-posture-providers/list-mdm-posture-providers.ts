import { PostureProvider } from '#shared/domain/posture-providers/posture-provider.ts'
import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listMdmPostureProviders = operation(
  {
    method: 'GET',
    path: '/mdm_posture_providers',
    summary: 'List the posture providers',
    permission: 'mdm:read',
    feature: 'device_posture',
    filters: {},
    response: list(PostureProvider),
  },
  ({ accountId, page }) => postureProviders.list(accountId, page),
)

export const handler = lambda(listMdmPostureProviders)
