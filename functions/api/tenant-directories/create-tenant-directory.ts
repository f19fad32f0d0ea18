import { createDirectory } from '#shared/directories/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createTenantDirectory = createDirectory('tenant')

export const handler = lambda(createTenantDirectory)
