import { updateAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getTenantAuthProvider } from './get-tenant-auth-provider.ts'

export const updateTenantAuthProvider = updateAuthProvider('tenant', getTenantAuthProvider)

export const handler = lambda(updateTenantAuthProvider)
