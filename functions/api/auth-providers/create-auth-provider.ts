import { AuthProvider, NewAuthProviderFields, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import * as authProviders from '#shared/domain/auth-providers/store.ts'
import { providerTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'

export const handler = family(providerKinds, (kind) =>
  operation(
    `POST /${kind}_auth_providers`,
    {
      family: 'auth_providers',
      summary: `Create ${providerTitles[kind].one}`,
      permission: 'providers:write',
      body: { envelope: `${kind}_auth_provider`, fields: NewAuthProviderFields(kind) },
      refusals: ['scope_exceeded'],
      response: data(AuthProvider(kind)),
      location: true,
    },
    ({ author, draft, address }) => authProviders.create(kind, author, draft, address),
  ),
)
