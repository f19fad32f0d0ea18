import { Resource, ResourceFields } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createResource = operation(
  {
    method: 'POST',
    path: '/resources',
    summary: 'Create a resource',
    permission: 'resources:write',
    body: { envelope: 'resource', fields: ResourceFields },
    response: data(Resource),
    status: 201,
    location: ({ data }) => `/resources/${data.id}`,
  },
  ({ author, draft }) => resources.create(author, draft),
)

export const handler = lambda(createResource)
