import { getAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getSuiteAuthProvider = getAuthProvider('suite')

export const handler = lambda(getSuiteAuthProvider)
