import { deleteAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getTenantAuthProvider } from './get-tenant-auth-provider.ts'

export const deleteTenantAuthProvider = deleteAuthProvider('tenant', getTenantAuthProvider)

export const handler = lambda(deleteTenantAuthProvider)
