import { lambda } from '#shared/http/lambda.ts'
import { previewDirectory } from '#shared/http/run-operations.ts'

export const previewSuiteDirectory = previewDirectory('suite')

export const handler = lambda(previewSuiteDirectory)
