import { listAuthProviders } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listTenantAuthProviders = listAuthProviders('tenant')

export const handler = lambda(listTenantAuthProviders)
