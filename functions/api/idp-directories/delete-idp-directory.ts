import { deleteDirectory } from '#shared/http/directory-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getIdpDirectory } from './get-idp-directory.ts'

export const deleteIdpDirectory = deleteDirectory('idp', getIdpDirectory)

export const handler = lambda(deleteIdpDirectory)
