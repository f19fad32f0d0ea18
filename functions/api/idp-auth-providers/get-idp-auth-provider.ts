import { getAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getIdpAuthProvider = getAuthProvider('idp')

export const handler = lambda(getIdpAuthProvider)
