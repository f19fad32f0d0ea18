import { listAuthProviders } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listSuiteAuthProviders = listAuthProviders('suite')

export const handler = lambda(listSuiteAuthProviders)
