import * as v from 'valibot'
import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Resource, ResourceFields } from '#shared/resources/resource.ts'
import * as resources from '#shared/resources/store.ts'

export const updateResource = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/resources/{id}',
    summary: 'Change a resource',
    permission: 'resources:write',
    body: { envelope: 'resource', fields: v.partial(ResourceFields) },
    response: data(Resource),
  },
  ({ author, params, raw, draft }) => resources.update(author, params.id, raw, draft),
)

export const handler = lambda(updateResource)
