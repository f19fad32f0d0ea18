import * as sites from '#shared/domain/sites/read-sites.ts'
import { Site } from '#shared/domain/sites/site.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getSite = operation(
  { method: 'GET', path: '/sites/{id}', summary: 'Read a site', permission: 'sites:read', response: data(Site) },
  ({ accountId, params }) => sites.get(accountId, params.id),
)

export const handler = lambda(getSite)
