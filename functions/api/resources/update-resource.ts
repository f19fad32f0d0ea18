import * as v from 'valibot'
import { Resource, ResourceFields } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getResource } from './get-resource.ts'

export const updateResource = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/resources/{id}',
    summary: 'Change a resource',
    permission: 'resources:write',
    etagFrom: getResource,
    body: { envelope: 'resource', fields: v.partial(ResourceFields) },
    refusals: ['internet_resource'],
    response: data(Resource),
  },
  ({ author, params, raw, draft }) => resources.update(author, params.id, raw, draft),
)

export const handler = lambda(updateResource)
