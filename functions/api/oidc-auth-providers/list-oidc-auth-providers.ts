import { listAuthProviders } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listOidcAuthProviders = listAuthProviders('oidc')

export const handler = lambda(listOidcAuthProviders)
