import * as v from 'valibot'
import { Site, SiteFields } from '#shared/domain/sites/site.ts'
import * as sites from '#shared/domain/sites/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getSite } from './get-site.ts'

export const updateSite = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/sites/{id}',
    summary: 'Rename a site',
    permission: 'sites:write',
    etagFrom: getSite,
    body: { envelope: 'site', fields: v.partial(SiteFields) },
    refusals: ['system_site'],
    response: data(Site),
  },
  ({ author, params, input }) => sites.update(author, params.id, input),
)

export const handler = lambda(updateSite)
