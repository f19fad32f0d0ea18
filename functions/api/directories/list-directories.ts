import { Directory, directoryKinds } from '#shared/domain/directories/directory.ts'
import * as directories from '#shared/domain/directories/store.ts'
import { directoryTitles } from '#shared/http/kinds.ts'
import { family, list, operation } from '#shared/http/lambda.ts'
import { textFilter } from '#shared/values/filters.ts'

export const handler = family(directoryKinds, (kind) =>
  operation(
    `GET /${kind}_directories`,
    {
      family: 'directories',
      summary: `List the ${directoryTitles[kind].many}`,
      permission: 'directories:read',
      filters: { name: textFilter },
      response: list(Directory(kind)),
    },
    ({ accountId, page }) => directories.list(kind, accountId, page),
  ),
)
