import { getAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getOidcAuthProvider = getAuthProvider('oidc')

export const handler = lambda(getOidcAuthProvider)
