import { Site, SiteFields } from '#shared/domain/sites/site.ts'
import * as sites from '#shared/domain/sites/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
