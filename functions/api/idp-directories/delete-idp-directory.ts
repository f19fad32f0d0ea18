import { deleteDirectory } from '#shared/directories/operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getIdpDirectory } from './get-idp-directory.ts'

export const deleteIdpDirectory = deleteDirectory('idp', getIdpDirectory)

export const handler = lambda(deleteIdpDirectory)
