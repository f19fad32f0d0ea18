import { AuthProvider, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import * as authProviders from '#shared/domain/auth-providers/store.ts'
import { providerTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'

export const handler = family(providerKinds, (kind) =>
  operation(
    `GET /${kind}_auth_providers/{id}`,
    {
      family: 'auth_providers',
      summary: `Show ${providerTitles[kind].one}`,
      permission: 'providers:read',
      response: data(AuthProvider(kind)),
    },
    ({ accountId, params, address }) => authProviders.get(kind, accountId, params.id, address),
  ),
)
