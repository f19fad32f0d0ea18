import { updateDirectory } from '#shared/http/directory-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getIdpDirectory } from './get-idp-directory.ts'

export const updateIdpDirectory = updateDirectory('idp', getIdpDirectory)

export const handler = lambda(updateIdpDirectory)
