import { createAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createOidcAuthProvider = createAuthProvider('oidc')

export const handler = lambda(createOidcAuthProvider)
