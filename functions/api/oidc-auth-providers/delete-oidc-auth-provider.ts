import { deleteAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getOidcAuthProvider } from './get-oidc-auth-provider.ts'

export const deleteOidcAuthProvider = deleteAuthProvider('oidc', getOidcAuthProvider)

export const handler = lambda(deleteOidcAuthProvider)
