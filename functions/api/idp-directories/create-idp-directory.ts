import { createDirectory } from '#shared/http/directory-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createIdpDirectory = createDirectory('idp')

export const handler = lambda(createIdpDirectory)
