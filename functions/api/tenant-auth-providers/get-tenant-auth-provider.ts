import { getAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getTenantAuthProvider = getAuthProvider('tenant')

export const handler = lambda(getTenantAuthProvider)
