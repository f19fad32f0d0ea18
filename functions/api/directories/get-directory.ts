import { Directory, directoryKinds } from '#shared/domain/directories/directory.ts'
import * as directories from '#shared/domain/directories/store.ts'
import { directoryTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'

export const handler = family(directoryKinds, (kind) =>
  operation(
    `GET /${kind}_directories/{id}`,
    {
      family: 'directories',
      summary: `Show ${directoryTitles[kind].one}`,
      permission: 'directories:read',
      response: data(Directory(kind)),
    },
    ({ accountId, params }) => directories.get(kind, accountId, params.id),
  ),
)
