import { NewResourceFields, Resource } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /resources',
  {
    summary: 'Create a resource',
    permission: 'resources:write',
    body: { envelope: 'resource', fields: NewResourceFields },
    response: data(Resource),
    location: true,
  },
  ({ author, draft }) => resources.create(author, draft),
)
