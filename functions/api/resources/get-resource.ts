import { Resource } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
