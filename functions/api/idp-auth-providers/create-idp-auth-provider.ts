import { createAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createIdpAuthProvider = createAuthProvider('idp')

export const handler = lambda(createIdpAuthProvider)
