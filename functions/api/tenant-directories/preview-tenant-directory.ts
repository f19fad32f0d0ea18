import { lambda } from '#shared/http/lambda.ts'
import { previewDirectory } from '#shared/http/run-operations.ts'

export const previewTenantDirectory = previewDirectory('tenant')

export const handler = lambda(previewTenantDirectory)
