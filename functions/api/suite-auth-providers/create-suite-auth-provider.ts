import { createAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createSuiteAuthProvider = createAuthProvider('suite')

export const handler = lambda(createSuiteAuthProvider)
