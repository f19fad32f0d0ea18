import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Resource } from '#shared/resources/resource.ts'
import * as resources from '#shared/resources/store.ts'

export const getResource = operation(
  {
    method: 'GET',
    path: '/resources/{id}',
    summary: 'Read a resource',
    permission: 'resources:read',
    response: data(Resource),
  },
  ({ accountId, params }) => resources.get(accountId, params.id),
)

export const handler = lambda(getResource)
