import { AuthProvider, AuthProviderFields, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import * as authProviders from '#shared/domain/auth-providers/store.ts'
import { providerTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'
import { handler as getAuthProvider } from './get-auth-provider.ts'

export const handler = family(providerKinds, (kind) =>
  operation(
    `PATCH /${kind}_auth_providers/{id}`,
    {
      family: 'auth_providers',
      summary: `Change ${providerTitles[kind].one}`,
      permission: 'providers:write',
      etagFrom: getAuthProvider.operations[kind],
      body: { envelope: `${kind}_auth_provider`, fields: AuthProviderFields(kind) },
      refusals: ['scope_exceeded'],
      response: data(AuthProvider(kind)),
    },
    ({ author, params, draft, address }) => authProviders.update(kind, author, params.id, draft, address),
  ),
)
