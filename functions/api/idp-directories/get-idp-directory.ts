import { getDirectory } from '#shared/http/directory-reads.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getIdpDirectory = getDirectory('idp')

export const handler = lambda(getIdpDirectory)
