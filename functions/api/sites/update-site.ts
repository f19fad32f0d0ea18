import * as v from 'valibot'
import { Site, SiteFields } from '#shared/domain/sites/site.ts'
import * as sites from '#shared/domain/sites/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getSite } from './get-site.ts'

export const handler = operation(
  'PATCH /sites/{id}',
  {
    summary: 'Rename a site',
    permission: 'sites:write',
    etagFrom: getSite.operation,
    body: { envelope: 'site', fields: v.partial(SiteFields) },
    refusals: ['system_site'],
    response: data(Site),
  },
  ({ author, params, draft }) => sites.update(author, params.id, draft),
)
