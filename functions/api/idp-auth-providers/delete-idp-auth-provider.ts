import { deleteAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getIdpAuthProvider } from './get-idp-auth-provider.ts'

export const deleteIdpAuthProvider = deleteAuthProvider('idp', getIdpAuthProvider)

export const handler = lambda(deleteIdpAuthProvider)
