import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Site, SiteFields } from '#shared/sites/site.ts'
import * as sites from '#shared/sites/store.ts'

export const createSite = operation(
  {
    method: 'POST',
    path: '/sites',
    summary: 'Create a site',
    permission: 'sites:write',
    body: { envelope: 'site', fields: SiteFields },
    refusals: ['limit_reached'],
    response: data(Site),
    status: 201,
    location: ({ data }) => `/sites/${data.id}`,
  },
  ({ author, input }) => sites.create(author, input),
)

export const handler = lambda(createSite)
