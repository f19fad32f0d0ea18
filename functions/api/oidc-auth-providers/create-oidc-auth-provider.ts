import { createAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createOidcAuthProvider = createAuthProvider('oidc')

export const handler = lambda(createOidcAuthProvider)
