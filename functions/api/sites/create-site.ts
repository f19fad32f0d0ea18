import { Site, SiteFields } from '#shared/domain/sites/site.ts'
import * as sites from '#shared/domain/sites/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /sites',
  {
    summary: 'Create a site',
    permission: 'sites:write',
    body: { envelope: 'site', fields: SiteFields },
    refusals: ['limit_reached'],
    response: data(Site),
    location: true,
  },
  ({ author, draft }) => sites.create(author, draft),
)
