import { removeSite } from '#shared/domain/rules/delete-site.ts'
import { Site } from '#shared/domain/sites/site.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getSite } from './get-site.ts'

export const handler = operation(
  'DELETE /sites/{id}',
  {
    summary: 'Delete a site with its gateways and resources',
    permission: 'sites:write',
    etagFrom: getSite.operation,
    refusals: ['system_site'],
    response: data(Site),
  },
  ({ author, params }) => removeSite(author, params.id),
)
