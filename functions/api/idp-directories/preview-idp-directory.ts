import { lambda } from '#shared/http/lambda.ts'
import { previewDirectory } from '#shared/http/run-operations.ts'

export const previewIdpDirectory = previewDirectory('idp')

export const handler = lambda(previewIdpDirectory)
