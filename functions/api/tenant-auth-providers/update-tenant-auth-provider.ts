import { updateAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getTenantAuthProvider } from './get-tenant-auth-provider.ts'

export const updateTenantAuthProvider = updateAuthProvider('tenant', getTenantAuthProvider)

export const handler = lambda(updateTenantAuthProvider)
