import * as sites from '#shared/domain/sites/site.ts'
import { Site } from '#shared/domain/sites/site.ts'
import { list, operation } from '#shared/http/lambda.ts'
import { textFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /sites',
  { summary: 'List the sites', permission: 'sites:read', filters: { name: textFilter }, response: list(Site) },
  ({ accountId, page }) => sites.list(accountId, page),
)
