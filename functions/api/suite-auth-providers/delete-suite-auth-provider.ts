import { deleteAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getSuiteAuthProvider } from './get-suite-auth-provider.ts'

export const deleteSuiteAuthProvider = deleteAuthProvider('suite', getSuiteAuthProvider)

export const handler = lambda(deleteSuiteAuthProvider)
