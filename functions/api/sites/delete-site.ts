import { Site } from '#shared/domain/sites/site.ts'
import * as sites from '#shared/domain/sites/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getSite } from './get-site.ts'

export const deleteSite = operation(
  {
    method: 'DELETE',
    path: '/sites/{id}',
    summary: 'Delete a site with its gateways and resources',
    permission: 'sites:write',
    etagFrom: getSite,
    refusals: ['system_site'],
    response: data(Site),
  },
  ({ author, params }) => sites.remove(author, params.id),
)

export const handler = lambda(deleteSite)
