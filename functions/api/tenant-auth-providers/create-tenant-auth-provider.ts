import { createAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createTenantAuthProvider = createAuthProvider('tenant')

export const handler = lambda(createTenantAuthProvider)
