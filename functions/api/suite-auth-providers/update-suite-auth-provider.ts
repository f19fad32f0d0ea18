import { updateAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getSuiteAuthProvider } from './get-suite-auth-provider.ts'

export const updateSuiteAuthProvider = updateAuthProvider('suite', getSuiteAuthProvider)

export const handler = lambda(updateSuiteAuthProvider)
