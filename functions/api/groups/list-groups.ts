import { Group } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { list, operation } from '#shared/http/lambda.ts'
import { enumFilter, textFilter, uuidOrEmptyFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /groups',
  {
    summary: 'List the groups',
    permission: 'groups:read',
    filters: { name: textFilter, directory_id: uuidOrEmptyFilter, entity_type: enumFilter(['group', 'org_unit']) },
    response: list(Group),
  },
  ({ accountId, page }) => groups.list(accountId, page),
)
