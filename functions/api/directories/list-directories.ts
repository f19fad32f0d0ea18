import { Directory, directoryKinds } from '#shared/domain/directories/directory.ts'
import * as directories from '#shared/domain/directories/store.ts'
import { directoryTitles } from '#shared/http/kinds.ts'
import { family, operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter, textFilter } from '#shared/values/filters.ts'

export const handler = family(directoryKinds, (kind) =>
  operation(
    `GET /${kind}_directories`,
    {
      family: 'directories',
      summary: `List the ${directoryTitles[kind].many}`,
      permission: 'directories:read',
      filters: { name: textFilter, is_disabled: boolFilter },
      response: scannedList(Directory(kind)),
    },
    ({ accountId, page }) => directories.list(kind, accountId, page),
  ),
)
