import { listAuthProviders } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listIdpAuthProviders = listAuthProviders('idp')

export const handler = lambda(listIdpAuthProviders)
