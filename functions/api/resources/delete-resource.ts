import { Resource } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getResource } from './get-resource.ts'

export const deleteResource = operation(
  {
    method: 'DELETE',
    path: '/resources/{id}',
    summary: 'Delete a resource with its policies',
    permission: 'resources:write',
    etagFrom: getResource,
    refusals: ['internet_resource'],
    response: data(Resource),
  },
  ({ author, params }) => resources.remove(author, params.id),
)

export const handler = lambda(deleteResource)
