import { AuthProvider, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import * as authProviders from '#shared/domain/auth-providers/store.ts'
import { providerTitles } from '#shared/http/kinds.ts'
import { family, operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter, textFilter } from '#shared/values/filters.ts'

export const handler = family(providerKinds, (kind) =>
  operation(
    `GET /${kind}_auth_providers`,
    {
      family: 'auth_providers',
      summary: `List the ${providerTitles[kind].many}`,
      permission: 'providers:read',
      filters: { name: textFilter, is_disabled: boolFilter },
      response: scannedList(AuthProvider(kind)),
    },
    ({ accountId, page, address }) => authProviders.list(kind, accountId, page, address),
  ),
)
