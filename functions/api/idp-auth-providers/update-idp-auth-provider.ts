import { updateAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getIdpAuthProvider } from './get-idp-auth-provider.ts'

export const updateIdpAuthProvider = updateAuthProvider('idp', getIdpAuthProvider)

export const handler = lambda(updateIdpAuthProvider)
