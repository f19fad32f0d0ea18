import { listAuthProviders } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listOidcAuthProviders = listAuthProviders('oidc')

export const handler = lambda(listOidcAuthProviders)
