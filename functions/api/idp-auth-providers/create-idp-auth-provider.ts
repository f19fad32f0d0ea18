import { createAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createIdpAuthProvider = createAuthProvider('idp')

export const handler = lambda(createIdpAuthProvider)
