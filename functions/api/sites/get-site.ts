import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Site } from '#shared/sites/site.ts'
import * as sites from '#shared/sites/store.ts'

export const getSite = operation(
  { method: 'GET', path: '/sites/{id}', summary: 'Read a site', permission: 'sites:read', response: data(Site) },
  ({ accountId, params }) => sites.get(accountId, params.id),
)

export const handler = lambda(getSite)
