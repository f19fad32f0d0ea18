import { Resource } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /resources/{id}',
  { summary: 'Read a resource', permission: 'resources:read', response: data(Resource) },
  ({ accountId, params }) => resources.get(accountId, params.id),
)
