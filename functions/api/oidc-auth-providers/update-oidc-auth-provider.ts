import { updateAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getOidcAuthProvider } from './get-oidc-auth-provider.ts'

export const updateOidcAuthProvider = updateAuthProvider('oidc', getOidcAuthProvider)

export const handler = lambda(updateOidcAuthProvider)
