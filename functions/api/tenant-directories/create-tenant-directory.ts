import { createDirectory } from '#shared/http/directory-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createTenantDirectory = createDirectory('tenant')

export const handler = lambda(createTenantDirectory)
