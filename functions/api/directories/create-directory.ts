import { DirectoryWithKey, directoryKinds, NewDirectoryFields } from '#shared/domain/directories/directory.ts'
import * as directories from '#shared/domain/directories/store.ts'
import { directoryTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'

export const handler = family(directoryKinds, (kind) =>
  operation(
    `POST /${kind}_directories`,
    {
      family: 'directories',
      summary: `Create ${directoryTitles[kind].one}`,
      permission: 'directories:write',
      body: { envelope: `${kind}_directory`, fields: NewDirectoryFields(kind) },
      refusals: ['scope_exceeded', 'feature_not_enabled', 'limit_reached'],
      response: data(DirectoryWithKey(kind)),
      location: true,
    },
    ({ author, draft }) => directories.create(kind, author, draft),
  ),
)
