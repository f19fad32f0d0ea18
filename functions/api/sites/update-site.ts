import * as v from 'valibot'
import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Site, SiteFields } from '#shared/sites/site.ts'
import * as sites from '#shared/sites/store.ts'
import { getSite } from './get-site.ts'

export const updateSite = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/sites/{id}',
    summary: 'Rename a site',
    permission: 'sites:write',
    current: getSite,
    body: { envelope: 'site', fields: v.partial(SiteFields) },
    refusals: ['system_site'],
    response: data(Site),
  },
  ({ author, params, input }) => sites.update(author, params.id, input),
)

export const handler = lambda(updateSite)
