import * as sites from '#shared/domain/sites/site.ts'
import { Site } from '#shared/domain/sites/site.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /sites/{id}',
  { summary: 'Read a site', permission: 'sites:read', response: data(Site) },
  ({ accountId, params }) => sites.get(accountId, params.id),
)
