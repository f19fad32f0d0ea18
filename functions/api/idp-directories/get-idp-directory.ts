import { getDirectory } from '#shared/directories/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getIdpDirectory = getDirectory('idp')

export const handler = lambda(getIdpDirectory)
