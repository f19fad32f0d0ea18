import { Directory, directoryKinds } from '#shared/domain/directories/directory.ts'
import { removeDirectory } from '#shared/domain/rules/delete-directory.ts'
import { directoryTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'
import { handler as getDirectory } from './get-directory.ts'

export const handler = family(directoryKinds, (kind) =>
  operation(
    `DELETE /${kind}_directories/{id}`,
    {
      family: 'directories',
      summary: `Delete ${directoryTitles[kind].one} with its groups, identities and actors`,
      permission: 'directories:write',
      etagFrom: getDirectory.operations[kind],
      refusals: ['own_actor', 'last_admin'],
      response: data(Directory(kind)),
    },
    ({ author, params }) => removeDirectory(kind, author, params.id),
  ),
)
