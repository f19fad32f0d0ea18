import { listAuthProviders } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listTenantAuthProviders = listAuthProviders('tenant')

export const handler = lambda(listTenantAuthProviders)
