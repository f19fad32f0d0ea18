import { createAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createSuiteAuthProvider = createAuthProvider('suite')

export const handler = lambda(createSuiteAuthProvider)
