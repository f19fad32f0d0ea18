import { Resource } from '#shared/domain/resources/resource.ts'
import { removeResource } from '#shared/domain/rules/delete-resource.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getResource } from './get-resource.ts'

export const handler = operation(
  'DELETE /resources/{id}',
  {
    summary: 'Delete a resource with its policies',
    permission: 'resources:write',
    etagFrom: getResource.operation,
    refusals: ['internet_resource'],
    response: data(Resource),
  },
  ({ author, params }) => removeResource(author, params.id),
)
