import { DirectoryFields, DirectoryWithKey, directoryKinds } from '#shared/domain/directories/directory.ts'
import * as directories from '#shared/domain/directories/store.ts'
import { directoryTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'
import { handler as getDirectory } from './get-directory.ts'

export const handler = family(directoryKinds, (kind) =>
  operation(
    `PATCH /${kind}_directories/{id}`,
    {
      family: 'directories',
      summary: `Change ${directoryTitles[kind].one}`,
      permission: 'directories:write',
      etagFrom: getDirectory.operations[kind],
      body: { envelope: `${kind}_directory`, fields: DirectoryFields(kind) },
      refusals: ['scope_exceeded', 'feature_not_enabled'],
      response: data(DirectoryWithKey(kind)),
    },
    ({ author, params, draft }) => directories.update(kind, author, params.id, draft),
  ),
)
