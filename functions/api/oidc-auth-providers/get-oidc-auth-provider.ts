import { getAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getOidcAuthProvider = getAuthProvider('oidc')

export const handler = lambda(getOidcAuthProvider)
