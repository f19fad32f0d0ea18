import { listAuthProviders } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listIdpAuthProviders = listAuthProviders('idp')

export const handler = lambda(listIdpAuthProviders)
