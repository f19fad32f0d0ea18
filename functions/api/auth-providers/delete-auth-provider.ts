import { AuthProvider, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import * as authProviders from '#shared/domain/auth-providers/store.ts'
import { providerTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'
import { handler as getAuthProvider } from './get-auth-provider.ts'

export const handler = family(providerKinds, (kind) =>
  operation(
    `DELETE /${kind}_auth_providers/{id}`,
    {
      family: 'auth_providers',
      summary: `Delete ${providerTitles[kind].one} with the client tokens created through it`,
      permission: 'providers:write',
      etagFrom: getAuthProvider.operations[kind],
      response: data(AuthProvider(kind)),
    },
    ({ author, params, address }) => authProviders.remove(kind, author, params.id, address),
  ),
)
