import * as v from 'valibot'
import { Resource, ResourceFields } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getResource } from './get-resource.ts'

export const handler = operation(
  'PATCH /resources/{id}',
  {
    summary: 'Change a resource',
    permission: 'resources:write',
    etagFrom: getResource.operation,
    body: { envelope: 'resource', fields: v.partial(ResourceFields) },
    refusals: ['internet_resource'],
    response: data(Resource),
  },
  ({ author, params, raw, draft }) => resources.update(author, params.id, raw, draft),
)
