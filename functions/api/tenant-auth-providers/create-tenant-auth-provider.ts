import { createAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createTenantAuthProvider = createAuthProvider('tenant')

export const handler = lambda(createTenantAuthProvider)
