import { listAuthProviders } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listSuiteAuthProviders = listAuthProviders('suite')

export const handler = lambda(listSuiteAuthProviders)
